/** A store whose write-ahead log has writes that its data lacks, as a process leaves it that is killed behind them. */
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import * as assert from 'uvu/assert';
import { checkStore } from '../../runtime/storage/lmdb/verification/store-check.ts';
import { Client } from './client.ts';
import { startServer } from './server.ts';

const CONFIGMAPS = '/api/v1/namespaces/default/configmaps';
const WRITES = 40;
const SINGLY = 3;
/** Of these, that are in the log alone. */
const LEAST = 10;
/** The data gets them after a moment: on a machine under load that may be before the kill. */
const ATTEMPTS = 20;

/** @param directory has a data directory in `data`. @throws where the data has got all writes again and again */
export async function leaveLog(directory: string): Promise<void> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const server = await startServer({ dialect: 'kubernetes', directory });
    const client = new Client(server);
    const write = (i: number) =>
      client.post(CONFIGMAPS, { metadata: { name: `logged-${attempt}-${i}` }, data: { text: `the logged value ${i}.` } });
    const statuses: number[] = [];
    // one after the other, so that the second one is flushed before others: of what is flushed at once nobody knows that it was on the disk
    for (let i = 0; i < SINGLY; i++) statuses.push((await write(i)).status);
    const others = await Promise.all(Array.from({ length: WRITES - SINGLY }, (_, i) => write(SINGLY + i)));
    statuses.push(...others.map(({ status }) => status));
    await server.kill();
    client.close();
    assert.ok(statuses.every((status) => status === 201));
    if (writesOfLog(path.join(directory, 'data', 'store')) >= LEAST) return;
  }
  assert.unreachable('the log has no writes that the data lacks');
}

function writesOfLog(store: string): number {
  let count = 0;
  checkStore(
    store,
    { definition: '', of: () => [] },
    {
      damaged: (file, found) => assert.unreachable(`${file} ${found}`),
      noted: (_, found) => {
        count = Number(/^has (\d+) writes that data\.mdb gets/.exec(found)?.[1] ?? count);
      },
      progress: () => {},
    },
  );
  return count;
}

/** Changes a byte of the second of the writes that `leaveLog` has left. */
export function damageSecondWrite(log: string): void {
  const bytes = readFileSync(log);
  const first = bytes.indexOf('the logged value');
  bytes.write('X', bytes.indexOf('the logged value', first + 1));
  assert.ok(first > 0);
  writeFileSync(log, bytes);
}
