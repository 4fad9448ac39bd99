/** The store of a data directory. */
import { groupVersions } from '../../generated/routes.ts';
import { storedTerms } from '../registry/stored-terms.ts';
import { openLmdbStorage } from '../storage/lmdb/lmdb-storage.ts';
import type { FolderStorage } from '../storage/storage.ts';
import type { Setup } from './setup.ts';
import { storeFolder } from './store-folder.ts';

/** @throws IncompatibleStorage where the directory holds the objects of another dialect, DamagedStorage where it is not what a server left */
export function openFolderStore(directory: string, { identity, parsed, log }: Setup): FolderStorage {
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
    onDeferralEnd: (err) => log.warn({ err }, 'the write-ahead log cannot be written: each write waits for the store itself meanwhile'),
    onTrouble(err) {
      if (err === undefined) log.warn({}, 'the store can be written again');
      else log.error({ reason: err.message }, 'the store cannot be written; it can be read, and is tried again');
    },
  });
}
