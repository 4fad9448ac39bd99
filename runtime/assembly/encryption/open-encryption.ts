/** The store of a data directory with what flags have encrypted of it. */
import { readFileText } from '../../files/file-text.ts';
import { FileWatch } from '../../files/file-watch.ts';
import type { Log } from '../../observability/log.ts';
import { EncryptedResources, type ResourceOfPrefix } from '../../registry/encrypted-resources.ts';
import { EncryptingStorage } from '../../storage/encryption/encrypting-storage.ts';
import type { Provider } from '../../storage/encryption/providers.ts';
import { StoreEncryption } from '../../storage/encryption/store-encryption.ts';
import type { FolderStorage, Terms } from '../../storage/storage.ts';
import { type EncryptionFile, encryptionRules, parseEncryption, permissionWarning } from './encryption-file.ts';

const FLAG = '--encryption-provider-config';

/** Milliseconds, as in 1.32; where the file system tells of a change it is read at once. */
const RELOAD_INTERVAL = 60_000;

export interface EncryptionParts {
  /** --encryption-provider-config; '' where there is none */
  readonly file: string;
  /** the file is read again when it changes */
  readonly reloads: boolean;
  readonly log: Log;
  readonly resourceOf: ResourceOfPrefix;
  /** of values before they are encrypted */
  readonly termsOf: Terms['of'];
  readonly source: () => Promise<Omit<EncryptionFile, 'file' | 'reloads'>>;
}

/**
 * @param open the store with its values as they are on the disk. It is closed where this fails.
 * @throws Error for a configuration that is wrong, in the words of 1.32
 */
export async function openEncrypted(open: () => FolderStorage, parts: EncryptionParts): Promise<FolderStorage> {
  const { file, reloads, log } = parts;
  // what is encrypted is an error then
  if (file === '') return encrypted(open(), parts, new EncryptedResources([], parts.resourceOf));
  const source = { ...(await parts.source()), file, reloads };
  const text = await readFileText(file);
  const read = async (changed: string) => {
    const warning = permissionWarning(file);
    if (warning !== undefined) log.warn({}, warning);
    return new EncryptedResources(encryptionRules(await parseEncryption(changed, source), noService), parts.resourceOf);
  };
  const configuration = await read(text);
  return encrypted(open(), parts, configuration, reloads ? { file, text, read } : undefined);
}

interface Followed {
  readonly file: string;
  readonly text: string;
  readonly read: (text: string) => Promise<EncryptedResources>;
}

async function encrypted(
  storage: FolderStorage,
  { termsOf, log }: EncryptionParts,
  configuration: EncryptedResources,
  followed?: Followed,
): Promise<FolderStorage> {
  try {
    const encryption = await StoreEncryption.open(storage, termsOf, configuration);
    const watch =
      followed &&
      new FileWatch({
        ...followed,
        interval: RELOAD_INTERVAL,
        async changed(text) {
          await encryption.use(await followed.read(text));
          log.info({ file: followed.file }, `${FLAG}: the file has been read again`);
        },
        failed: (error) => log.error({ err: error, file: followed.file }, `${FLAG}: the new text of the file is not used`),
      });
    return new EncryptingStorage(storage, encryption, () => watch?.close());
  } catch (error) {
    await storage.close();
    throw error;
  }
}

function noService(): Provider {
  throw new Error(`${FLAG}: key management services are not asked`);
}
