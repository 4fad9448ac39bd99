/** Where an embedded server keeps its objects, and what it is known by. */
import { existsSync, readdirSync } from 'node:fs';
import { cp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Endings } from '../assembly/setup/endings.ts';
import type { ServerCredentials } from '../assembly/setup/server-credentials.ts';
import type { Setup } from '../assembly/setup/setup.ts';
import { removeLeftFiles } from '../assembly/store/left-files.ts';
import { tokenKeysOf } from '../authentication/service-accounts/keys.ts';
import { SharedCertificates } from '../server/certificates/certificates.ts';
import { makeDataDirectory } from '../server/data-directory.ts';
import { prepareCertificates } from '../server/listener/serving-certificates.ts';
import type { MemoryStorage } from '../storage/memory/memory-storage.ts';
import type { ServedStorage } from '../storage/storage.ts';
import { preparedStore } from './prepared-stores.ts';
import type { StoreOption } from './store-option.ts';

export interface OpenedStore {
  readonly storage: ServedStorage;
  readonly credentials: ServerCredentials;
  /** it has what every cluster has */
  readonly prepared: boolean;
  /**
   * Opens a copy of all that was written before the call.
   * @param place of the copy; default `memory`
   * @throws Error for memory where this is a folder, the other way round, and for a folder that has a store or cannot be used
   */
  fork(place: StoreOption | undefined, setup: Setup, endings: Endings): Promise<OpenedStore>;
  /** Says that the server runs. What ends before takes along what a fork has made in its folder. */
  keep?(): void;
}

/** Of all servers of this process. */
const certificates = new SharedCertificates();

/** Makes no file, but for lists that are too long for the memory until they are sent. @throws Error for flags that are wrong */
export async function openMemory(setup: Setup): Promise<OpenedStore> {
  const credentials = await credentialsOf(tmpdir(), setup, false);
  return inMemory(await preparedStore(setup, credentials), credentials);
}

function inMemory(storage: MemoryStorage, credentials: ServerCredentials): OpenedStore {
  return {
    storage,
    credentials,
    prepared: true,
    async fork(place = 'memory') {
      if (place !== 'memory') throw new Error('a server in memory is forked in memory, not into a folder');
      const copy = storage.fork();
      return inMemory(copy, await unexpired(credentials));
    },
  };
}

/** The server that they were made for may have run for long. */
async function unexpired(credentials: ServerCredentials): Promise<ServerCredentials> {
  const { certificates } = credentials;
  if (Date.now() < certificates.renewal) return credentials;
  return { ...credentials, certificates: (await certificates.renew(true)) ?? certificates };
}

/**
 * @param endings gets what is open when the store is closed
 * @param fill puts files into the folder before anything of it is read. What is in the folder since then goes where the server does not come to run.
 * @throws Error for a folder that cannot be used, or that another server has
 */
export async function openFolder(directory: string, setup: Setup, endings: Endings, fill?: () => Promise<void>): Promise<OpenedStore> {
  // what servers in memory do without: libraries with code of the machine
  const [{ openFolderStore }, { storeFolder, tryFolderStore }, { lockDirectory }] = await Promise.all([
    import('../assembly/store/folder-store.ts'),
    import('../assembly/store/store-folder.ts'),
    import('../server/directory-lock.ts'),
  ]);
  const found = existsSync(directory) ? readdirSync(directory) : undefined;
  makeDataDirectory(directory, 'the option `store`');
  endings.add(lockDirectory(directory));
  let isKept = fill === undefined;
  // behind what has its files open, and before somebody else may have the folder
  endings.add(() => (isKept ? undefined : removeMade(directory, found)));
  await fill?.();
  removeLeftFiles(directory);
  await tryFolderStore(directory, setup.identity.dialect);
  const credentials = await credentialsOf(directory, setup, true);
  const storage = await openFolderStore(directory, setup);
  return {
    storage,
    credentials,
    prepared: false,
    async fork(place = 'memory', forkSetup, forkEndings) {
      if (place === 'memory') throw new Error('a server over a folder is forked into another folder, which `store` names');
      const copy = async (): Promise<void> => {
        // refuses a folder that has a store, whose keys would be no good after that
        await storage.copyTo(storeFolder(place.directory));
        await copyKeys(credentials, place.directory, setup);
      };
      return openFolder(place.directory, forkSetup, forkEndings, copy);
    },
    keep() {
      isKept = true;
    },
  };
}

/** @param found what the folder had before; undefined where it was not there */
async function removeMade(directory: string, found: readonly string[] | undefined): Promise<void> {
  const made =
    found === undefined ? [directory] : readdirSync(directory).flatMap((name) => (found.includes(name) ? [] : path.join(directory, name)));
  await Promise.all(made.map((each) => rm(each, { recursive: true, force: true })));
}

/** Tokens that the copied accounts have are good for the copy too. */
async function copyKeys({ certificates: { folder } }: ServerCredentials, directory: string, { parsed }: Setup): Promise<void> {
  if (parsed.values['cert-dir'] === '' && existsSync(folder)) await cp(folder, path.join(directory, 'pki'), { recursive: true });
}

/** @param keepsKeys tokens are good for the next server of the directory too */
async function credentialsOf(directory: string, { parsed, identity }: Setup, keepsKeys: boolean): Promise<ServerCredentials> {
  const prepared = await prepareCertificates(parsed.values, directory, identity, {
    ensure: (needs) => certificates.of(needs),
    renew: (needs) => certificates.of(needs),
  });
  return { directory, certificates: prepared, tokenKeys: tokenKeysOf(parsed.values, keepsKeys ? prepared.folder : undefined) };
}
