import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { LoneCommits } from '../../runtime/storage/lmdb/lone-commits.ts';

/** How many writes pass until one may hold the thread again. */
function passed(commits: LoneCommits): number {
  for (let count = 0; ; count++) if (commits.isDue()) return count;
}

/** Commits one write that holds the thread for so many milliseconds, and lets the next turn of the event loop see what came of it. */
async function commit(commits: LoneCommits, milliseconds: number): Promise<void> {
  commits.commit(() => {
    const until = performance.now() + milliseconds;
    while (performance.now() < until);
  });
  await turn();
  await turn();
}

const test = suite('commits of lone writes');

test('hold the thread until a commit takes long, then ever fewer do', async () => {
  const commits = new LoneCommits();
  assert.is(passed(commits), 0);
  const counts: number[] = [];
  for (let i = 0; i < 10; i++) {
    await commit(commits, 3);
    counts.push(passed(commits));
  }
  assert.equal(counts, [1, 2, 4, 8, 16, 32, 64, 128, 256, 256]);
});

test('hold the thread less often when somebody waits for it', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  const [[socket]] = (await Promise.all([once(server, 'connection'), once(client, 'connect')])) as [[Socket], unknown];
  try {
    socket.resume();
    const commits = new LoneCommits();
    client.write('sent before the commit ends');
    await commit(commits, 0);
    assert.is(passed(commits), 1);
  } finally {
    client.destroy();
    socket.destroy();
    server.close();
  }
});

test('throw what the commit throws', () => {
  const commits = new LoneCommits();
  assert.throws(
    () =>
      commits.commit(() => {
        throw new RangeError('full');
      }),
    /full/,
  );
});

test.run();
