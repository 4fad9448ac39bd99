/** Stores in memory with what every cluster has, made once for all servers of the same dialect and flags: each begins with a fork of one. */

import { prepareSystem } from '../assembly/duties.ts';
import { defaultPolicySource } from '../assembly/parts/create-access.ts';
import { createParts } from '../assembly/parts/create-parts.ts';
import { Endings } from '../assembly/setup/endings.ts';
import type { ServerCredentials } from '../assembly/setup/server-credentials.ts';
import type { Setup } from '../assembly/setup/setup.ts';
import { createLog } from '../server/log/log.ts';
import { MemoryStorage } from '../storage/memory/memory-storage.ts';

const SILENT = createLog({ format: 'json', destination: { write() {} } });

/** The last used ones. */
const MOST = 8;

const prepared = new Map<string, Promise<MemoryStorage>>();

/** @returns a store of its own, empty for an aggregated server. Namespaces are not in it: each cluster is known by the uids of its own. @throws Error for flags that are wrong */
export async function preparedStore(setup: Setup, credentials: ServerCredentials): Promise<MemoryStorage> {
  if (setup.parsed.values['delegated-authentication']) return new MemoryStorage();
  const key = JSON.stringify([setup.identity.dialect, setup.parsed.values]);
  const found = prepared.get(key) ?? prepare(setup, credentials);
  prepared.delete(key);
  prepared.set(key, found);
  for (const oldest of prepared.keys()) if (prepared.size > MOST) prepared.delete(oldest);
  try {
    return (await found).fork();
  } catch (error) {
    prepared.delete(key);
    throw error;
  }
}

async function prepare(setup: Setup, credentials: ServerCredentials): Promise<MemoryStorage> {
  const storage = new MemoryStorage();
  const endings = new Endings();
  try {
    // what there is to log is logged by the servers that begin with the store
    const { server } = await createParts(storage, { ...setup, log: SILENT }, credentials, () => 'localhost', endings);
    await prepareSystem(server, setup.parsed.values, defaultPolicySource);
    return storage;
  } finally {
    await endings.run();
  }
}
