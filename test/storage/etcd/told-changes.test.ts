import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { StorageUnreachable } from '../../../runtime/storage/errors.ts';
import type { EtcdClient, EtcdWatch, WatchListener, WatchRequest } from '../../../runtime/storage/etcd/client/etcd-client.ts';
import { type EtcdStorage, openEtcdStorage } from '../../../runtime/storage/etcd/etcd-storage.ts';
import { startEtcd } from '../../harness/etcd.ts';
import { bytes, rejection } from '../contract/store.ts';
import { plainValues } from './plain-values.ts';

const test = suite('following etcd');
const etcd = await startEtcd();
const other = etcd.client();
let prefixes = 0;

test.after(async () => {
  other.close();
  await etcd.stop();
});

/** More than are made in one turn. */
const KEYS = 20_000;

/** Milliseconds for which a store waits until what etcd has is here, where a row is about that, and some more. */
const PATIENCE = 3_000;
const MORE = 3_000;

type Watch = (request: WatchRequest, listener: WatchListener) => EtcdWatch;

/** @param watched of which each watch of the store is made @param catchingUp milliseconds for which who has written waits; a watch may be silent for a third of it */
async function withStore(
  body: (storage: EtcdStorage, prefix: string) => Promise<void>,
  watched: (watch: Watch) => Watch = (watch) => watch,
  catchingUp = 10_000,
): Promise<void> {
  const client = etcd.client();
  const prefix = `/followed-${++prefixes}`;
  Object.assign(client, { watch: watched(client.watch.bind(client)) satisfies EtcdClient['watch'] });
  const storage = await openEtcdStorage({ client, prefix, codec: plainValues, catchingUp });
  try {
    await body(storage, prefix);
  } finally {
    await storage.close();
  }
}

const put = (key: string, value: string) => ({ op: 'put', key, value: Buffer.from(value) }) as const;

test('shows a revision as a whole, however many changes it has', () =>
  withStore(async (storage, prefix) => {
    for (let i = 0; i < KEYS; i += 100) {
      const success = Array.from({ length: 100 }, (_, j) => put(`${prefix}/pods/${i + j}`, 'value'));
      await other.transaction({ compare: [], success, failure: [] });
    }
    await storage.barrier();
    const counts = new Set<number>();
    const looks = setInterval(() => counts.add(storage.count({ start: '', end: '' })), 0);
    const before = storage.currentRevision();
    await other.transaction({
      compare: [],
      success: [{ op: 'delete', key: `${prefix}/pods/`, end: `${prefix}/pods0` }],
      failure: [],
    });
    await storage.barrier();
    clearInterval(looks);
    assert.is(storage.count({ start: '', end: '' }), 0);
    assert.equal([...storage.changes(before, '')].length, KEYS);
    counts.delete(0);
    assert.equal([...counts], [KEYS]);
  }));

test('each change says its own revision, though another server has written the very bytes of a write under way', () =>
  withStore(async (storage, prefix) => {
    const value = (): Buffer => Buffer.from('{"r":"                 }');
    const own = storage.create('pods/a', { bytes: value(), revisionOffset: 6 });
    const foreign = (async () => {
      for (let i = 0; i < 20; i++) {
        await other.transaction({ compare: [], success: [{ op: 'put', key: `${prefix}/pods/a`, value: value() }], failure: [] });
        await other.transaction({ compare: [], success: [{ op: 'delete', key: `${prefix}/pods/a` }], failure: [] });
      }
    })();
    await Promise.allSettled([own, foreign]);
    await storage.barrier();
    for (const { revision, value, operation } of storage.changes(storage.compactedRevision(), ''))
      if (operation !== 'delete') assert.match(String(value), `{"r":"${revision}"`);
  }));

/** The watch begins and says nothing, once the store is open. */
function silenced(isSilent: () => boolean): (watch: Watch) => Watch {
  return (watch) => (request, listener) => {
    const silent = isSilent();
    const unless =
      <Told extends unknown[]>(tell: (...told: Told) => void) =>
      (...told: Told): void => {
        if (!silent && !isSilent()) tell(...told);
      };
    return watch(request, { ...listener, events: unless(listener.events), progress: unless(listener.progress) });
  };
}

test('a watch that says nothing is begun anew for who waits', async () => {
  let watches = 0;
  let falls = false;
  // the first one alone falls silent
  const first = (watch: Watch): Watch => (watches++ === 0 ? silenced(() => falls)(watch) : watch);
  await withStore(
    async (storage) => {
      falls = true;
      const begun = performance.now();
      await storage.create('pods/a', bytes('1'));
      await storage.barrier();
      assert.ok(performance.now() - begun < PATIENCE + MORE);
      assert.is(watches, 2);
    },
    (watch) => (request, listener) => first(watch)(request, listener),
    PATIENCE,
  );
});

test('who has written what does not come back is told in time that it may be written', async () => {
  let silent = false;
  await withStore(
    async (storage) => {
      silent = true;
      const begun = performance.now();
      const errors = await Promise.all([
        rejection(storage.create('pods/a', bytes('1'))),
        sleep(500).then(() => rejection(storage.update('pods/a', 7, bytes('1')))),
        sleep(500).then(() => rejection(storage.barrier())),
      ]);
      for (const error of errors) assert.instance(error, StorageUnreachable);
      assert.equal(
        errors.map((error) => (error as StorageUnreachable).outcomeUnknown),
        [true, false, false],
      );
      assert.ok(performance.now() - begun < PATIENCE + MORE);
      silent = false;
      await storage.barrier();
      assert.ok(storage.get('pods/a') !== undefined);
    },
    silenced(() => silent),
    PATIENCE,
  );
});

test.run();
