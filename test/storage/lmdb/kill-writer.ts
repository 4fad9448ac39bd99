/**
 * A process that writes until it is killed: node kill-writer.ts DIRECTORY NAME WRITERS EXCLUSIVE [HISTORY]. From time to time a writer reads a
 * range, which is to find LMDB complete while the others write. It compacts all but the last HISTORY changes from time to time. Standard output: `ready`, then a line of JSON for each write
 * that was acknowledged, written before the writer goes on.
 */

import { writeSync } from 'node:fs';
import { flushCompileCache } from 'node:module';
import { StorageError } from '../../../runtime/storage/errors.ts';
import { openLmdbStorage } from '../../../runtime/storage/lmdb/lmdb-storage.ts';
import { words } from '../contract/store.ts';
import { type Acknowledgement, writtenValue } from './kill-value.ts';

const [directory, name, writers, exclusive, history] = process.argv.slice(2) as [string, string, string, string, string];
/** Most keys are a writer's own; a few are everybody's, for conflicts. */
const SHARED_KEYS = 8;

const storage = openLmdbStorage({ directory, dialect: 'test', terms: words, exclusive: exclusive === 'true' });
// whoever is killed leaves nothing for those that are started after it
flushCompileCache();
writeSync(1, 'ready\n');

/** Tells at once, with nothing on the way when the process is killed. The pipe may be full while its reader has no turn. */
function acknowledge(written: Acknowledgement): void {
  let left = Buffer.from(`${JSON.stringify(written)}\n`);
  while (left.length > 0) {
    try {
      left = left.subarray(writeSync(1, left));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error;
    }
  }
}

async function write(key: string): Promise<void> {
  const latest = storage.get(key);
  const seed = Math.floor(Math.random() * 2 ** 31);
  const value = writtenValue(seed);
  if (latest === undefined) {
    acknowledge({ operation: 'create', key, seed, revision: await storage.create(key, value) });
  } else {
    const operation = Math.random() < 0.3 ? 'delete' : 'update';
    acknowledge({ operation, key, seed, revision: await storage[operation](key, latest.revision, value) });
  }
}

/** Every entry of a range is what its key had at that revision, and no other one is counted. */
function assertComplete(): void {
  const atRevision = storage.currentRevision();
  const entries = Array.from(storage.range({ start: '', end: '', atRevision }));
  if (entries.length !== storage.count({ start: '', end: '', atRevision })) throw new Error('a range lacks an entry that is counted');
  const other = entries.find(({ key, revision }) => storage.get(key, atRevision)?.revision !== revision);
  if (other !== undefined) throw new Error(`${other.key} has another revision by itself than in a range`);
}

async function writer(index: number): Promise<void> {
  for (let i = 0; ; i++) {
    if (exclusive === 'true' && i % 16 === 5) assertComplete();
    const shared = i % 10 === 0;
    const key = shared ? `shared/${i % SHARED_KEYS}` : `writer-${name}-${index % 4}/${index}/${Math.floor(Math.random() * 20)}`;
    try {
      await write(key);
    } catch (error) {
      if (!(error instanceof StorageError)) throw error;
    }
  }
}

async function compactor(): Promise<void> {
  for (;;) {
    await storage.compact(Math.max(0, storage.currentRevision() - Number(history)));
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

if (!Number.isNaN(Number(history))) void compactor();
await Promise.all(Array.from({ length: Number(writers) }, (_, index) => writer(index)));
