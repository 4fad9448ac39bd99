/** Where an embedded server keeps its objects, and what it is known by. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Endings } from '../assembly/endings.ts';
import { openFolderStore } from '../assembly/folder-store.ts';
import type { ServerCredentials } from '../assembly/server-credentials.ts';
import type { Setup } from '../assembly/setup.ts';
import { readTokenKeys } from '../authentication/service-accounts/keys.ts';
import { removeLeftSpoolFiles } from '../endpoints/lists/spool-file.ts';
import { SharedCertificates } from '../server/certificates.ts';
import { makeDataDirectory } from '../server/data-directory.ts';
import { lockDirectory } from '../server/directory-lock.ts';
import { prepareCertificates } from '../server/serving-certificates.ts';
import { MemoryStorage } from '../storage/memory/memory-storage.ts';
import type { ServedStorage } from '../storage/storage.ts';
import type { StoreOption } from './store-option.ts';

/** Of all servers of this process. */
const certificates = new SharedCertificates();

/** @param endings gets what is open when the store is closed. @throws Error for a folder that cannot be used, or that another server has */
export async function openStore(
  store: StoreOption,
  setup: Setup,
  endings: Endings,
): Promise<{ readonly storage: ServedStorage; readonly credentials: ServerCredentials }> {
  const directory = store === 'memory' ? temporaryFolder(endings) : store.directory;
  makeDataDirectory(directory);
  endings.add(lockDirectory(directory));
  removeLeftSpoolFiles(directory);
  const { parsed, identity } = setup;
  const prepared = await prepareCertificates(parsed.values, directory, identity, (needs) => certificates.of(needs));
  const credentials = { directory, certificates: prepared, tokenKeys: readTokenKeys(parsed.values, prepared.folder) };
  return { storage: store === 'memory' ? new MemoryStorage() : openFolderStore(directory, setup), credentials };
}

function temporaryFolder(endings: Endings): string {
  const directory = mkdtempSync(join(tmpdir(), 'cluster-apiserver-'));
  endings.add(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}
