/** The program of hanging-disk.test.ts: node hanging-writer.ts DIRECTORY. It tells how writes were answered; the file of FAILING_CALLS has the disk fail. */
import { writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { StorageUnwritable } from '../../../runtime/storage/errors.ts';
import { openLmdbStorage } from '../../../runtime/storage/lmdb/lmdb-storage.ts';
import { bytes, words } from '../contract/store.ts';

export type Answer = 'written' | 'refused' | 'in doubt';

const fail = (failure: string): void => writeFileSync(process.env.FAILING_CALLS as string, failure);
const told: Record<string, Answer> = {};
let ended: (reason: Error) => void;
const end = new Promise<Error>((resolve) => {
  ended = resolve;
});
const storage = openLmdbStorage({
  directory: process.argv[2] as string,
  dialect: 'test',
  terms: words,
  exclusive: false,
  // the one that hangs has a second and a half, which is longer than the next one waits to begin
  transactionLook: 150,
  onEnd: (reason) => ended(reason),
});

async function write(key: string): Promise<void> {
  told[key] = await storage.create(key, bytes(key)).then(
    () => 'written',
    (error: StorageUnwritable) => (error.outcomeUnknown ? 'in doubt' : 'refused'),
  );
}

await write('/before');
// behind a write that has failed there is little patience
fail('flush /data.mdb\n');
await write('/failed');
fail('hang /data.mdb\n');
const hanging = write('/hanging');
// it has to wait until that one is over, which it is not
const waiting = sleep(200).then(() => write('/waiting'));
await Promise.all([hanging, waiting, end]);
await write('/behind');
fail('');
// LMDB's thread goes on for as long as the process is there
await sleep(500);
console.log(JSON.stringify(told));
process.exit();
