import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { ApiObject } from '../../../runtime/contract/object.ts';
import type { Trigger } from '../../../runtime/registry/selection/watcher-index.ts';
import { encodeStoredObject } from '../../../runtime/registry/stored-objects/stored-object.ts';
import type { FeedSource } from '../../../runtime/registry/watch/watch-feed.ts';
import { WatchHub } from '../../../runtime/registry/watch/watch-hub.ts';
import type { Subscription, WatchEvent, Watcher } from '../../../runtime/registry/watch/watch-subscription.ts';
import { RevisionCompacted } from '../../../runtime/storage/errors.ts';
import type { LmdbStorage } from '../../../runtime/storage/lmdb/embedded-storage.ts';
import type { StoredBytes } from '../../../runtime/storage/storage.ts';
import { eventually } from '../../harness/eventually.ts';
import { withStore } from '../../storage/contract/store.ts';
import { lmdbStore } from '../../storage/lmdb/lmdb-store.ts';

const test = suite('watch hub');
const PODS: FeedSource = { of: {}, prefix: 'pods', namespaced: true, fieldsOf: (stored) => stored.fields };

/** @param field value of the one selectable field */
function bytes(name: string, field = ''): StoredBytes {
  const object: ApiObject = { kind: 'Pod', apiVersion: 'v1', metadata: { name, namespace: 'a' } };
  return encodeStoredObject(object, 1, [field]);
}

/** Notes what it is told, and takes no more after each `batch` events. */
class Recorder implements Watcher {
  readonly events: WatchEvent[] = [];
  readonly errors: unknown[] = [];
  /** number of events each time that what was delivered is to be written */
  readonly flushed: number[] = [];
  ended = 0;
  readonly namespace: string;
  readonly trigger: Trigger | undefined;
  readonly #batch: number;
  /** milliseconds that writing takes */
  readonly #busy: number;

  constructor({
    namespace = '',
    trigger,
    batch = Number.POSITIVE_INFINITY,
    busy = 0,
  }: { namespace?: string; trigger?: Trigger; batch?: number; busy?: number } = {}) {
    this.#busy = busy;
    this.namespace = namespace;
    this.trigger = trigger;
    this.#batch = batch;
  }
  get revisions(): number[] {
    return this.events.map(({ revision }) => revision);
  }
  deliver(event: WatchEvent): boolean {
    this.events.push(event);
    return this.events.length % this.#batch !== 0;
  }
  flush(): void {
    this.flushed.push(this.events.length);
    for (const end = performance.now() + this.#busy; performance.now() < end; );
  }
  fail(error: unknown): void {
    this.errors.push(error);
  }
  end(): void {
    this.ended++;
  }
}

const withHub = (work: (storage: LmdbStorage, hub: WatchHub) => Promise<void>): Promise<void> =>
  withStore(
    () => lmdbStore(),
    async ({ storage }) => {
      const hub = new WatchHub(storage as LmdbStorage);
      await work(storage as LmdbStorage, hub);
      hub.close();
    },
  );

function start(hub: WatchHub, since: number, watcher: Watcher): Subscription {
  const subscription = hub.subscribe(PODS, since, watcher);
  subscription.resume();
  return subscription;
}

/** Waits until the subscription has come to `position`. */
async function reached(subscription: Subscription, position: number): Promise<void> {
  await eventually(`it has come to ${position}`, () => subscription.position >= position);
}

test('hands on what comes, of the resource and the namespace that are watched', () =>
  withHub(async (storage, hub) => {
    const all = new Recorder();
    const some = new Recorder({ namespace: 'b' });
    const subscriptions = [start(hub, 0, all), start(hub, 0, some)];
    await storage.create('pods/a/x', bytes('x'));
    await storage.create('nodes/x', bytes('x'));
    await storage.create('pods/b/y', bytes('y'));
    await storage.update('pods/b/y', 3, bytes('y'));
    await storage.delete('pods/a/x', 1, bytes('x'));
    for (const subscription of subscriptions) await reached(subscription, 5);
    assert.equal(
      all.events.map(({ operation, revision, namespace, name, previous }) => [
        operation,
        revision,
        namespace,
        name,
        previous !== undefined,
      ]),
      [
        ['create', 1, 'a', 'x', false],
        ['create', 3, 'b', 'y', false],
        ['update', 4, 'b', 'y', true],
        ['delete', 5, 'a', 'x', true],
      ],
    );
    assert.equal(some.revisions, [3, 4]);
    assert.is(all.events[1], some.events[0], 'watchers share an event');
  }));

test('starts after any revision, of the past, the present and the future', () =>
  withHub(async (storage, hub) => {
    for (let i = 0; i < 600; i++) await storage.create(`pods/a/p${i}`, bytes(`p${i}`));
    const rows: [since: number, first: number][] = [
      [0, 1],
      [599, 600],
      [600, 601],
      [602, 603],
    ];
    const recorders = rows.map(([since]) => {
      const recorder = new Recorder();
      return { recorder, subscription: start(hub, since, recorder) };
    });
    for (let i = 600; i < 605; i++) await storage.create(`pods/a/p${i}`, bytes(`p${i}`));
    for (const [at, { recorder, subscription }] of recorders.entries()) {
      const first = rows[at]?.[1] as number;
      await reached(subscription, 605);
      assert.equal(
        recorder.revisions,
        Array.from({ length: 605 - first + 1 }, (_, i) => first + i),
      );
    }
  }));

test('a watcher that takes no more gets the rest when it goes on, while others get everything at once', () =>
  withHub(async (storage, hub) => {
    const quick = new Recorder();
    const slow = new Recorder({ batch: 3 });
    const other = start(hub, 0, quick);
    const subscription = start(hub, 0, slow);
    for (let i = 0; i < 8; i++) await storage.create(`pods/a/p${i}`, bytes(`p${i}`));
    await reached(other, 8);
    assert.equal(slow.revisions, [1, 2, 3]);
    assert.is(subscription.position, 3);
    assert.is(quick.events.length, 8);
    subscription.resume();
    assert.equal(slow.revisions, [1, 2, 3, 4, 5, 6]);
    subscription.resume();
    await reached(subscription, 8);
    await storage.create('pods/a/last', bytes('last'));
    await reached(subscription, 9);
    assert.equal(slow.revisions, [1, 2, 3, 4, 5, 6, 7, 8, 9]);
  }));

test('a watcher whose changes are compacted while it waits fails', () =>
  withHub(async (storage, hub) => {
    const slow = new Recorder({ batch: 1 });
    const subscription = start(hub, 0, slow);
    for (let i = 0; i < 4; i++) await storage.create(`pods/a/p${i}`, bytes(`p${i}`));
    await storage.compact(3);
    subscription.resume();
    assert.instance(slow.errors[0], RevisionCompacted);
    assert.equal([slow.errors.length, slow.events.length, hub.watchers], [1, 1, 0]);
  }));

test('nothing comes after the stop, and the end is told once', () =>
  withHub(async (storage, hub) => {
    const [stopped, ended] = [new Recorder(), new Recorder({ trigger: { field: 0, value: 'x' } })];
    const subscription = start(hub, 0, stopped);
    const going = start(hub, 0, ended);
    assert.is(hub.watchers, 2);
    subscription.stop();
    subscription.stop();
    await storage.create('pods/a/x', bytes('x'));
    await reached(going, 1);
    hub.close();
    hub.close();
    assert.equal([stopped.events.length, stopped.ended, ended.events.length, ended.ended, hub.watchers], [0, 0, 1, 1, 0]);
  }));

test('watches of what has gone end behind its last change, and those that take no more after a while', () =>
  withHub(async (storage, hub) => {
    const [joined, slow, idle] = [new Recorder(), new Recorder({ batch: 1 }), new Recorder()];
    await storage.create('pods/a/x', bytes('x'));
    await reached(start(hub, 0, joined), 1);
    start(hub, 0, slow);
    await storage.create('pods/a/y', bytes('y'));
    hub.end(PODS.of);
    assert.equal([joined.ended, slow.ended], [0, 0], 'they have not been told of the last change');
    start(hub, 2, idle);
    await Promise.resolve();
    assert.is(idle.ended, 1, 'what begins later ends at once');
    await storage.create('pods/a/z', bytes('z'));
    await eventually('the slow one has ended', () => slow.ended > 0);
    assert.equal([joined.revisions, joined.ended, slow.revisions, slow.ended, hub.watchers], [[1, 2], 1, [1], 1, 0]);
  }));

test('all watches end within the time that they have, few at once, and those that begin behind the end at once', () =>
  withHub(async (storage, hub) => {
    const watchers = Array.from({ length: 40 }, () => new Recorder());
    for (const watcher of watchers) start(hub, storage.currentRevision(), watcher);
    const ended = (): number => watchers.filter((watcher) => watcher.ended === 1).length;
    const drained = hub.drain(60_000);
    // two hundred in a second, in portions
    assert.is(ended(), 4);
    await drained;
    assert.is(ended(), 40);
    const late = new Recorder();
    start(hub, storage.currentRevision(), late);
    await hub.drain(0);
    assert.is(late.ended, 0);
    hub.close();
    assert.is(late.ended, 1);
    const later = new Recorder();
    start(hub, storage.currentRevision(), later);
    await Promise.resolve();
    assert.is(later.ended, 1);
  }));

test('watchers of each resource get its changes, few or many at a time, and all come to the present', () =>
  withHub(async (storage, hub) => {
    const prefixes = ['pods', 'nodes', 'services/specs', 'services/endpoints'];
    const recorders = prefixes.map(() => new Recorder());
    const subscriptions = prefixes.map((prefix, i) => {
      const subscription = hub.subscribe({ ...PODS, of: { prefix }, prefix }, 0, recorders[i] as Recorder);
      subscription.resume();
      return subscription;
    });
    const expected: number[][] = prefixes.map(() => []);
    let revision = 0;
    for (const count of [1, 2, 63, 200, 1, 5]) {
      const writes = Array.from({ length: count }, async () => {
        const at = revision % prefixes.length;
        expected[at]?.push(++revision);
        await storage.create(`${prefixes[at]}/a/o${revision}`, bytes('o'));
      });
      await Promise.all(writes);
      await storage.create(`others/o${++revision}`, bytes('o'));
      for (const subscription of subscriptions) await reached(subscription, revision);
    }
    assert.equal(
      recorders.map(({ revisions }) => revisions),
      expected,
    );
  }));

test('who writes is answered before watchers are told', () =>
  withHub(async (storage, hub) => {
    const recorder = new Recorder();
    const subscription = start(hub, 0, recorder);
    for (let i = 0; i < 3; i++) {
      const before = recorder.events.length;
      await storage.create(`pods/a/p${i}`, bytes(`p${i}`));
      assert.is(recorder.events.length, before);
      await reached(subscription, i + 1);
    }
  }));

test('what comes while watchers are busy is written together', () =>
  withHub(async (storage, hub) => {
    const recorder = new Recorder({ busy: 20 });
    const subscription = start(hub, 0, recorder);
    await Promise.all(Array.from({ length: 3 }, (_, i) => storage.create(`pods/a/p${i}`, bytes(`p${i}`))));
    await storage.create('pods/a/next', bytes('next'));
    await storage.create('pods/a/last', bytes('last'));
    await reached(subscription, 5);
    assert.equal(recorder.revisions, [1, 2, 3, 4, 5]);
    assert.equal(recorder.flushed.at(-1), 5);
    assert.ok(recorder.flushed.length < 4, `written ${recorder.flushed.length} times`);
  }));

test('many watchers are written to in several turns, and are told of the next changes behind the last of them', () =>
  withHub(async (storage, hub) => {
    let turns = 0;
    const turn = (): void => {
      turns++;
      turning = setImmediate(turn);
    };
    let turning = setImmediate(turn);
    const written: [turn: number, events: number][] = [];
    class Slow extends Recorder {
      override flush(): void {
        super.flush();
        written.push([turns, this.events.length]);
      }
    }
    const watchers = Array.from({ length: 6 }, () => new Slow({ busy: 6 }));
    const subscriptions = watchers.map((watcher) => start(hub, 0, watcher));
    await storage.create('pods/a/x', bytes('x'));
    await eventually('some are written to', () => written.length > 1);
    await storage.create('pods/a/y', bytes('y'));
    for (const subscription of subscriptions) await reached(subscription, 2);
    await eventually('all are written to', () => written.length === 12);
    clearImmediate(turning);
    assert.equal(
      written.map(([, events]) => events),
      [1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2],
    );
    assert.is(new Set(written.map(([at]) => at)).size, 12);
  }));

test('a trigger brings changes of objects that have its value before or after', () =>
  withHub(async (storage, hub) => {
    const rows: [trigger: Trigger, revisions: number[]][] = [
      [{ field: 0, value: 'x' }, [1, 3, 4]],
      [{ field: 1, value: 'b' }, [2]],
      [{ field: 2, value: 'n1' }, [1, 3]],
      [{ field: 2, value: 'n2' }, [2, 3, 4]],
      [{ field: 2, value: 'n3' }, []],
    ];
    const recorders = rows.map(([trigger]) => new Recorder({ trigger }));
    const subscriptions = recorders.map((recorder) => start(hub, 0, recorder));
    await storage.create('pods/a/x', bytes('x', 'n1'));
    await storage.create('pods/b/y', bytes('y', 'n2'));
    await storage.update('pods/a/x', 1, bytes('x', 'n2'));
    await storage.delete('pods/a/x', 3, bytes('x', 'n2'));
    for (const subscription of subscriptions) await reached(subscription, 4);
    assert.equal(
      recorders.map(({ revisions }) => revisions),
      rows.map(([, revisions]) => revisions),
    );
  }));

test('every change comes once and in order, whenever a watcher pauses and goes on', async () => {
  const writes = fc.array(fc.oneof(fc.constant('write'), fc.constant('wait'), fc.constant('resume')), { maxLength: 60 });
  await fc.assert(
    fc.asyncProperty(writes, fc.integer({ min: 1, max: 5 }), (steps, batch) =>
      withHub(async (storage, hub) => {
        const recorder = new Recorder({ batch });
        const subscription = start(hub, 0, recorder);
        let written = 0;
        for (const step of steps) {
          if (step === 'resume') subscription.resume();
          else if (step === 'wait') await new Promise((resolve) => setImmediate(resolve));
          else await storage.create(`pods/a/p${written++}`, bytes('p'));
        }
        while (recorder.events.length < written) {
          subscription.resume();
          await new Promise((resolve) => setImmediate(resolve));
        }
        assert.equal(
          recorder.revisions,
          Array.from({ length: written }, (_, i) => i + 1),
        );
      }),
    ),
    { numRuns: 15 },
  );
});

test.run();
