/** Where an embedded server keeps its objects, and what it is known by. */
import { tmpdir } from 'node:os';
import type { Endings } from '../assembly/endings.ts';
import type { ServerCredentials } from '../assembly/server-credentials.ts';
import type { Setup } from '../assembly/setup.ts';
import { readTokenKeys } from '../authentication/service-accounts/keys.ts';
import { removeLeftSpoolFiles } from '../endpoints/lists/spool-file.ts';
import { SharedCertificates } from '../server/certificates.ts';
import { makeDataDirectory } from '../server/data-directory.ts';
import { prepareCertificates } from '../server/serving-certificates.ts';
import type { ServedStorage } from '../storage/storage.ts';
import { preparedStore } from './prepared-stores.ts';

export interface OpenedStore {
  readonly storage: ServedStorage;
  readonly credentials: ServerCredentials;
  /** it has what every cluster has */
  readonly prepared: boolean;
}

/** Of all servers of this process. */
const certificates = new SharedCertificates();

/** Makes no file, but for lists that are too long for the memory until they are sent. @throws Error for flags that are wrong */
export async function openMemory(setup: Setup): Promise<OpenedStore> {
  const credentials = await credentialsOf(tmpdir(), setup, false);
  return { storage: await preparedStore(setup, credentials), credentials, prepared: true };
}

/** @param endings gets what is open when the store is closed. @throws Error for a folder that cannot be used, or that another server has */
export async function openFolder(directory: string, setup: Setup, endings: Endings): Promise<OpenedStore> {
  // what servers in memory do without: libraries with code of the machine
  const [{ openFolderStore }, { lockDirectory }] = await Promise.all([
    import('../assembly/folder-store.ts'),
    import('../server/directory-lock.ts'),
  ]);
  makeDataDirectory(directory);
  endings.add(lockDirectory(directory));
  removeLeftSpoolFiles(directory);
  const credentials = await credentialsOf(directory, setup, true);
  return { storage: openFolderStore(directory, setup), credentials, prepared: false };
}

/** @param keepsKeys tokens are good for the next server of the directory too */
async function credentialsOf(directory: string, { parsed, identity }: Setup, keepsKeys: boolean): Promise<ServerCredentials> {
  const prepared = await prepareCertificates(parsed.values, directory, identity, (needs) => certificates.of(needs));
  return { directory, certificates: prepared, tokenKeys: readTokenKeys(parsed.values, keepsKeys ? prepared.folder : undefined) };
}
