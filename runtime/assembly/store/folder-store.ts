import { groupVersions } from '../../../generated/routes.ts';
import { storedTerms } from '../../registry/stored-objects/stored-terms.ts';
import { hasEncrypted } from '../../storage/encryption/noted-keys.ts';
import { StorageUnwritable } from '../../storage/errors.ts';
import { openLmdbStorage } from '../../storage/lmdb/lmdb-storage.ts';
import type { FolderStorage } from '../../storage/storage.ts';
import { chosenGates } from '../setup/chosen-gates.ts';
import type { Setup } from '../setup/setup.ts';
import { storeFolder } from './store-folder.ts';

/**
 * Opens the store of a data directory, with encryption if a flag asks for it or the store has encrypted values.
 * @throws IncompatibleStorage, DamagedStorage like `openLmdbStorage`
 * @throws Error for an invalid configuration of encryption
 */
export async function openFolderStore(directory: string, setup: Setup): Promise<FolderStorage> {
  const { 'encryption-provider-config': file, 'encryption-provider-config-automatic-reload': reloads } = setup.parsed.values;
  if (reloads && file === '')
    throw new Error('--encryption-provider-config-automatic-reload must be set with --encryption-provider-config');
  const open = (): FolderStorage => openPlainStore(directory, setup);
  if (file !== '') return encryptedStore(open, setup);
  const storage = open();
  return hasEncrypted(storage) ? encryptedStore(() => storage, setup) : storage;
}

/** The code of encryption is loaded only if values may be encrypted. */
async function encryptedStore(open: () => FolderStorage, setup: Setup): Promise<FolderStorage> {
  const [{ openEncrypted }, { resourcesByPrefix }] = await Promise.all([
    import('../encryption/open-encryption.ts'),
    import('../../registry/encrypted-resources.ts'),
  ]);
  const { identity, log, followedFiles } = setup;
  const { values: flags } = setup.parsed;
  return openEncrypted(open, {
    file: flags['encryption-provider-config'],
    reloads: flags['encryption-provider-config-automatic-reload'],
    log,
    followedFiles,
    resourceOf: resourcesByPrefix(identity.resolve(groupVersions)),
    termsOf: storedTerms(groupVersions).of,
    async source() {
      const featureEnabled = chosenGates(flags).isEnabled;
      const { createFileKinds } = await import('../setup/file-kinds.ts');
      return { kinds: createFileKinds(identity, featureEnabled), featureEnabled };
    },
  });
}

/**
 * @throws IncompatibleStorage if the directory holds objects of another dialect
 * @throws DamagedStorage if its files are not what a server left
 */
function openPlainStore(directory: string, { identity, parsed, log, fail }: Setup): FolderStorage {
  return openLmdbStorage({
    directory: storeFolder(directory),
    dialect: identity.dialect,
    terms: storedTerms(groupVersions),
    exclusive: parsed.values.workers === 1,
    onTornLog: () =>
      log.warn(
        {},
        'the last write before the store ended was not written whole and is dropped: watches begin anew, at revisions that were not given before',
      ),
    onDamage: (err) => log.error({ err, key: err.key }, 'a stored value is damaged'),
    onDeferralEnd(err) {
      const what = 'the write-ahead log cannot be written: each write waits for the store itself meanwhile';
      log.warn(err instanceof StorageUnwritable ? { reason: err.message } : { err }, what);
    },
    onTrouble(err) {
      if (err === undefined) log.warn({}, 'the store can be written again');
      else log.error({ reason: err.message }, 'the store cannot be written; it can be read, and is tried again');
    },
    onEnd(err) {
      const what = 'this process goes on no more with the store: one that opens it anew goes by what is on the disk';
      if (err instanceof StorageUnwritable) log.error({ reason: err.message }, what);
      else log.error({ err }, what);
      fail?.();
    },
  });
}
