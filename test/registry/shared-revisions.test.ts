/** Changes of several keys that share a revision, as others may write them to a store: nobody who follows it misses one, or takes one for another. */
import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ChangeFollower } from '../../runtime/controllers/controller/change-follower.ts';
import { encodeStoredObject } from '../../runtime/registry/stored-objects/stored-object.ts';
import type { FeedSource } from '../../runtime/registry/watch/watch-feed.ts';
import { WatchHub } from '../../runtime/registry/watch/watch-hub.ts';
import type { WatchEvent, Watcher } from '../../runtime/registry/watch/watch-subscription.ts';
import { MemoryStorage } from '../../runtime/storage/memory/memory-storage.ts';
import { type Storage, versionId } from '../../runtime/storage/storage.ts';

const test = suite('shared revisions');
const PODS: FeedSource = { of: {}, prefix: 'pods', namespaced: true, fieldsOf: (stored) => stored.fields };

/** A store to which others write too. */
class SharedStore extends MemoryStorage {
  /** @param keys each made anew where it is not there, else removed; at one revision */
  toggle(...keys: readonly string[]): number {
    const revision = this.data.revision + 1;
    for (const key of keys) {
      const there = this.data.keys.get(key);
      const { bytes, revisionOffset } = encodeStoredObject({ kind: 'Pod', apiVersion: 'v1', metadata: { name: key } }, 1, []);
      this.data.apply(there === undefined || there.removed ? 'create' : 'delete', key, revision, {
        value: bytes,
        revisionOffset,
        flaw: undefined,
      });
    }
    this.data.revision = revision;
    this.announce();
    return revision;
  }
}

const named = (count: number): string[] => Array.from({ length: count }, (_, i) => `pods/a/${String(i).padStart(3, '0')}`);

/** Takes so many events at a time, and goes on a moment later. */
class SlowWatcher implements Watcher {
  readonly namespace = '';
  readonly trigger = undefined;
  readonly seen: string[] = [];
  readonly #batch: number;
  goOn = (): void => {};
  mayDeliver = true;
  constructor(batch: number) {
    this.#batch = batch;
  }
  deliver({ operation, namespace, name }: WatchEvent): boolean {
    assert.ok(this.mayDeliver, 'nothing is delivered until it goes on');
    this.seen.push(`${operation} pods/${namespace}/${name}`);
    if (this.seen.length % this.#batch !== 0) return true;
    this.mayDeliver = false;
    setTimeout(() => {
      this.mayDeliver = true;
      this.goOn();
    }, 1);
    return false;
  }
  flush(): void {}
  fail(error: unknown): void {
    throw error;
  }
  end(): void {}
}

for (const [batch, size] of [
  [1, 7],
  [3, 40],
  [4, 4],
  [1_000, 600],
] as const)
  test(`watches are told of each, in whatever portions they take them: ${batch} of ${size}`, async () => {
    const store = new SharedStore();
    const hub = new WatchHub(store);
    const keys = named(size);
    const begin = (since: number): SlowWatcher => {
      const watcher = new SlowWatcher(batch);
      const subscription = hub.subscribe(PODS, since, watcher);
      watcher.goOn = () => subscription.resume();
      subscription.resume();
      return watcher;
    };
    const early = begin(0);
    store.toggle(...keys);
    store.toggle('nodes/x', ...keys);
    store.toggle('pods/b/alone');
    const wanted = [...keys.map((key) => `create ${key}`), ...keys.map((key) => `delete ${key}`), 'create pods/b/alone'];
    const late = begin(0);
    for (const until = Date.now() + 20_000; early.seen.length < wanted.length || late.seen.length < wanted.length; await sleep(5))
      if (Date.now() > until) break;
    assert.equal(early.seen, wanted);
    assert.equal(late.seen, wanted);
    hub.close();
    await store.close();
  });

test('controllers are handed each once, also where one takes its time', async () => {
  const store = new SharedStore();
  const handed: string[] = [];
  const listener = {
    changed({ key, revision }: { readonly key: string; readonly revision: number }): Promise<void> | undefined {
      handed.push(`${revision} ${key}`);
      return key.endsWith('1') || key.endsWith('4') ? sleep(1) : undefined;
    },
  };
  const failed = (error: unknown): never => {
    throw error;
  };
  const follower = new ChangeFollower(store as Storage, [listener as never], { lost: failed, failed });
  follower.start(0);
  const keys = named(5);
  store.toggle(...keys);
  assert.ok(await follower.caughtUp());
  store.toggle(...keys);
  store.toggle('pods/a/004');
  assert.ok(await follower.caughtUp());
  assert.equal(handed, [...keys.map((key) => `1 ${key}`), ...keys.map((key) => `2 ${key}`), '3 pods/a/004']);
  follower.stop();
  await store.close();
});

test('what was written at one revision is told apart', async () => {
  const store = new SharedStore();
  store.toggle('pods/a/alone');
  store.toggle(...named(3));
  const entries = [...store.range({ start: 'pods/', end: 'pods0' })];
  assert.is(new Set(entries.map(versionId)).size, 4);
  assert.equal(
    entries.map(({ revision }) => revision),
    [2, 2, 2, 1],
  );
  assert.is(versionId(entries[3] as (typeof entries)[0]), 1);
  await store.close();
});

test.run();
