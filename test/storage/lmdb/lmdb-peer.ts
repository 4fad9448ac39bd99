/** The other process of lmdb-processes.test.ts: node lmdb-peer.ts DIRECTORY; calls come as messages, each is answered with one. */

import { openLmdbStorage } from '../../../runtime/storage/lmdb/lmdb-storage.ts';
import { bytes, words } from '../contract/store.ts';

export type PeerCall =
  | { readonly do: 'create'; readonly key: string; readonly value: string }
  /** adds 1 to the number that the key holds, until it has succeeded `times` times */
  | { readonly do: 'count'; readonly key: string; readonly times: number; readonly compacting?: boolean };

export interface PeerAnswer {
  /** the revision, or the number of successes */
  readonly result?: number;
  readonly error?: string;
}

const storage = openLmdbStorage({ directory: process.argv[2] as string, dialect: 'test', terms: words });

async function count({ key, times, compacting = false }: PeerCall & { do: 'count' }): Promise<number> {
  let done = 0;
  while (done < times) {
    const entry = storage.get(key);
    if (entry === undefined) throw new Error(`${key} is missing`);
    const update = storage.update(key, entry.revision, bytes(String(Number(entry.value) + 1)));
    if (compacting && done % 10 === 0) void storage.compact(storage.currentRevision());
    done += await update.then(
      () => 1,
      () => 0,
    );
  }
  return done;
}

process.on('message', async (call: PeerCall) => {
  try {
    const result = call.do === 'create' ? await storage.create(call.key, bytes(call.value)) : await count(call);
    process.send?.({ result } satisfies PeerAnswer);
  } catch (error) {
    process.send?.({ error: String(error) } satisfies PeerAnswer);
  }
});
process.on('disconnect', () => void storage.close());
process.send?.({});
