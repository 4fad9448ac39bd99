import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { IndexFollower } from '../../../runtime/storage/lmdb/index/index-follower.ts';

const test = suite('index follower');

// its own timer keeps no process alive
let running: NodeJS.Timeout;
test.before(() => {
  running = setInterval(() => {}, 1_000);
});
test.after(() => clearInterval(running));

/** A store that only counts its batches; each lasts until it is ended. */
class CountedStore {
  revision = 10;
  batches = 0;
  end: (error?: Error) => void = () => {};
  readonly listeners = new Set<(revision: number) => void>();
  readonly errors: unknown[] = [];
  #begun = Promise.withResolvers<void>();

  get follower(): IndexFollower {
    return new IndexFollower(this, (error) => this.errors.push(error));
  }
  currentRevision = () => this.revision;
  onCommit(listener: (revision: number) => void): () => void {
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  }
  commit(changes: number): void {
    this.revision += changes;
    for (const listener of this.listeners) listener(this.revision);
  }
  index(): Promise<void> {
    this.batches++;
    this.#begun.resolve();
    this.#begun = Promise.withResolvers();
    return new Promise((resolve, reject) => {
      this.end = (error) => (error === undefined ? resolve() : reject(error));
    });
  }
  /** The next batch. */
  get begun(): Promise<void> {
    return this.#begun.promise;
  }
}

/** Until promises that are resolved have been followed. */
const settled = () => new Promise(setImmediate);

test('begins with what an earlier process has left, and then goes on only after changes', async () => {
  const store = new CountedStore();
  const { follower } = store;
  await store.begun;
  store.end();
  await settled();
  const next = store.begun;
  store.commit(1);
  assert.is(store.batches, 1);
  await next;
  assert.is(store.batches, 2);
  store.end();
  await follower.stop();
});

test('does not wait where there are many changes, nor begins a batch during another', async () => {
  const store = new CountedStore();
  const { follower } = store;
  store.commit(511);
  assert.is(store.batches, 0);
  store.commit(1);
  assert.is(store.batches, 1);
  store.commit(2_000);
  assert.is(store.batches, 1);
  const next = store.begun;
  store.end();
  await next;
  assert.is(store.batches, 2);
  store.end();
  await follower.stop();
});

test('goes on after a batch that failed', async () => {
  const store = new CountedStore();
  const { follower } = store;
  store.commit(600);
  store.end(new Error('the disk is full'));
  await settled();
  assert.is(store.errors.length, 1);
  store.commit(600);
  assert.is(store.batches, 2);
  store.end();
  await follower.stop();
});

test('stops when the batch under way has ended', async () => {
  const store = new CountedStore();
  const { follower } = store;
  store.commit(600);
  let stopped = false;
  const stopping = follower.stop().then(() => {
    stopped = true;
  });
  await settled();
  assert.is(stopped, false);
  store.commit(600);
  store.end();
  await stopping;
  assert.equal([store.batches, store.listeners.size], [1, 0]);
});

test.run();
