/** Several processes on one file. */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { bytes, told, withStore } from '../contract/store.ts';
import type { PeerAnswer, PeerCall } from './lmdb-peer.ts';
import { type LmdbTestStore, lmdbStore } from './lmdb-store.ts';

const processes = suite('several processes');
const PEER = fileURLToPath(new URL('lmdb-peer.ts', import.meta.url));

/** Another process that has the same directory open. */
class Peer {
  readonly #child: ChildProcess;
  readonly #ready: Promise<unknown>;

  constructor(directory: string) {
    this.#child = fork(PEER, [directory], { stdio: 'inherit' });
    this.#ready = once(this.#child, 'message');
  }

  /** One call at a time. */
  async call(call: PeerCall): Promise<number> {
    await this.#ready;
    const answer = once(this.#child, 'message');
    this.#child.send(call);
    const [{ result, error }] = (await answer) as [PeerAnswer];
    if (result === undefined) throw new Error(error);
    return result;
  }

  async end(): Promise<void> {
    await this.#ready;
    const ended = once(this.#child, 'exit');
    this.#child.disconnect();
    await ended;
  }
}

const test = (title: string, body: (context: { store: LmdbTestStore; peers: readonly [Peer, Peer] }) => Promise<void>): void =>
  processes(title, () =>
    withStore(
      () => lmdbStore(),
      async (store) => {
        const peers = [new Peer(store.directory), new Peer(store.directory)] as const;
        try {
          await body({ store, peers });
        } finally {
          await Promise.all(peers.map((peer) => peer.end()));
        }
      },
    ),
  );

test("another process' commits are seen at once, and listeners are told when the store is poked", async ({ store, peers }) => {
  const { storage } = store;
  const [peer] = peers;
  const calls: number[] = [];
  storage.onCommit((revision) => calls.push(revision));
  assert.is(await peer.call({ do: 'create', key: 'pods/a', value: 'theirs' }), 1);
  assert.is(storage.currentRevision(), 1);
  assert.is(String(storage.get('pods/a')?.value), 'theirs');
  assert.equal(calls, []);
  storage.notify();
  storage.notify();
  assert.equal(calls, [1]);
  assert.is(await storage.update('pods/a', 1, bytes('ours')), 2);
  assert.is(await peer.call({ do: 'create', key: 'pods/b', value: 'theirs' }), 3);
  storage.notify();
  await new Promise(setImmediate);
  assert.equal(calls, [1, 2, 3]);
  assert.equal(told(storage.changes(0, 'pods/')), ['create pods/a@1=theirs', 'update pods/a@2=ours<theirs', 'create pods/b@3=theirs']);
});

test('a reader always sees what was written before it asked', async ({ store, peers }) => {
  const { storage } = store;
  const [peer] = peers;
  for (let i = 1; i <= 100; i++) {
    const revision = await peer.call({ do: 'create', key: `pods/${i}`, value: `${i}` });
    assert.is(storage.settledRevision(), revision);
    assert.is(storage.currentRevision(), revision);
    assert.is(String(storage.get(`pods/${i}`)?.value), `${i}`);
    assert.is(storage.count({ start: '', end: '' }), i);
  }
});

test('counting up one key from three processes loses nothing', async ({ store, peers }) => {
  const { storage } = store;
  await storage.create('counter', bytes('0'));
  const ours = (async () => {
    for (let i = 0; i < 100; ) {
      const { revision, value } = storage.get('counter') as NonNullable<ReturnType<typeof storage.get>>;
      const done = await storage.update('counter', revision, bytes(String(Number(value) + 1))).then(
        () => true,
        () => false,
      );
      if (done) i++;
    }
  })();
  await Promise.all([ours, ...peers.map((peer) => peer.call({ do: 'count', key: 'counter', times: 100 }))]);
  assert.is(String(storage.get('counter')?.value), '300');
  assert.is(storage.currentRevision(), 301);
  const values = Array.from(storage.changes(0, ''), ({ value }) => Number(value));
  assert.equal(
    values,
    Array.from({ length: 301 }, (_, i) => i),
  );
});

test('all processes may compact while all write', async ({ store, peers }) => {
  const { storage } = store;
  await storage.create('counter', bytes('0'));
  const counting = Promise.all(peers.map((peer) => peer.call({ do: 'count', key: 'counter', times: 200, compacting: true })));
  let finished = false;
  void counting.finally(() => {
    finished = true;
  });
  while (!finished) {
    await storage.compact(storage.currentRevision());
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  await counting;
  await storage.compact(storage.currentRevision());
  assert.is(String(storage.get('counter')?.value), '400');
  assert.is(storage.size().historyBytes, 0);
});

processes.run();
