/** Stores whose etcd is there and says nothing, as a machine that hangs. */
import { setTimeout as delay } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { StorageUnreachable } from '../../../runtime/storage/errors.ts';
import type { EtcdStorage } from '../../../runtime/storage/etcd/etcd-storage.ts';
import { startEtcd } from '../../harness/etcd.ts';
import { all, bytes, rejection } from '../contract/store.ts';
import { put } from './client/asked.ts';
import { until } from './held-etcd.ts';
import { allOfEtcd, assertReplayable, openStore, withStores } from './opened-stores.ts';

/** Milliseconds for a call, and some more. */
const TIMEOUT = 700;
const MORE = 1_500;
const WATCHDOG = { timeout: 200, sizeInterval: 0 };

const etcd = await startEtcd();
const client = etcd.client();
const stopped = suite('an etcd that is stopped');
stopped.after(async () => {
  etcd.goOn();
  client.close();
  await etcd.stop();
});

let prefixes = 0;
function row(title: string, body: (storage: EtcdStorage, prefix: string) => Promise<void>): void {
  stopped(title, async () => {
    const prefix = `/r${++prefixes}`;
    const settings = { prefix, requestTimeout: TIMEOUT, watchdog: WATCHDOG };
    try {
      await withStores(etcd, settings, 1, (storage) => body(storage as EtcdStorage, prefix));
    } finally {
      etcd.goOn();
    }
  });
}

/** What fails, within its time. */
async function inTime(failing: Promise<unknown>): Promise<StorageUnreachable> {
  const begun = performance.now();
  const error = await rejection(failing);
  const took = performance.now() - begun;
  assert.instance(error, StorageUnreachable, String(error));
  assert.ok(took < TIMEOUT + MORE, `it took ${took} ms`);
  return error as StorageUnreachable;
}

row('what asks etcd fails in its time, what is here is read, and all works again when it goes on', async (storage, prefix) => {
  const revision = await storage.create('a', bytes('1'));
  assert.is(storage.problem(), undefined);
  await etcd.hang();
  const failing = [
    storage.barrier(),
    storage.create('b', bytes('2')),
    storage.update('a', revision, bytes('2')),
    storage.probe(),
    storage.barrier(),
  ];
  const errors = await Promise.all(failing.map(inTime));
  // who reads has written nothing
  assert.equal(
    errors.map(({ outcomeUnknown }) => outcomeUnknown),
    [false, true, true, false, false],
  );
  assert.match(storage.problem() ?? '', 'etcd cannot be reached: ');
  assert.equal(all(storage), [`a@${revision}=1`]);
  assert.is(storage.currentRevision(), revision);
  etcd.goOn();
  await until(() => storage.problem() === undefined);
  await storage.barrier();
  await storage.probe();
  // what was on its way may have been made since
  const found = storage.get('a');
  const written = await storage.update('a', found?.revision as number, bytes('3'));
  assert.is(storage.get('a')?.revision, written);
  assert.equal(all(storage), await allOfEtcd(client, prefix));
  assertReplayable(storage);
});

row('what others have written meanwhile comes when it goes on', async (storage, prefix) => {
  const written = Array.from({ length: 200 }, (_, i) => put(client, { [`${prefix}/${i % 20}`]: String(i) }));
  await etcd.hang();
  await delay(500);
  etcd.goOn();
  await Promise.all(written);
  await storage.barrier();
  assert.equal(all(storage), await allOfEtcd(client, prefix));
  assertReplayable(storage, 10);
});

row('a store closes while etcd is silent, when what waits for it has failed', async (storage) => {
  await etcd.hang();
  const written = inTime(storage.create('a', bytes('1')));
  const passed = rejection(storage.barrier());
  const begun = performance.now();
  await storage.close();
  assert.ok(performance.now() - begun < TIMEOUT + MORE);
  await written;
  assert.instance(await passed, Error);
});

row('a store is not opened while etcd is silent', async (_storage, prefix) => {
  await etcd.hang();
  await inTime(openStore(etcd, { prefix, requestTimeout: TIMEOUT }));
});

row('values are read again when it goes on', async (storage) => {
  const revision = await storage.create('a', bytes('1'));
  await etcd.hang();
  const again = storage.readAgain(() => true);
  await delay(TIMEOUT + 300);
  etcd.goOn();
  await again;
  assert.equal(all(storage), [`a@${revision}=1`]);
});

stopped.run();
