import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Part } from '../../../runtime/contract/trace.ts';
import { Conflict } from '../../../runtime/storage/errors.ts';
import type { RemoteStoreData } from '../../../runtime/storage/remote/calls.ts';
import { RemoteStorage } from '../../../runtime/storage/remote/remote-storage.ts';
import { withinPart } from '../../../runtime/storage/traced-part.ts';
import { bytes, rejection, type TestStore, withStore } from '../contract/store.ts';
import { storageContract } from '../contract.ts';

/** A store in memory that another thread has. */
async function remoteStore(): Promise<TestStore> {
  const thread = new Worker(new URL('./store-thread.ts', import.meta.url));
  const open = async (): Promise<RemoteStorage> => {
    thread.postMessage('open');
    const [data] = (await once(thread, 'message')) as [RemoteStoreData];
    return new RemoteStorage(data);
  };
  let storage = await open();
  return {
    copiesChanges: true,
    get storage() {
      return storage;
    },
    async reopen() {
      await storage.close();
      storage = await open();
      return storage;
    },
    together(calls) {
      const flag = new Int32Array(new SharedArrayBuffer(4));
      thread.postMessage(flag);
      Atomics.wait(flag, 0, 0);
      calls();
      Atomics.store(flag, 0, 0);
      Atomics.notify(flag, 0);
    },
    async remove() {
      await storage.close();
      await thread.terminate();
    },
  };
}

storageContract('remote', remoteStore).run();

const test = suite('remote storage');

test('long ranges and changes come in several answers, as they were at one revision', () =>
  withStore(remoteStore, async ({ storage }) => {
    const keys = Array.from({ length: 1_200 }, (_, i) => `pods/a/${String(i).padStart(4, '0')}`);
    await Promise.all(keys.map((key) => storage.create(key, bytes(key))));
    const read: string[] = [];
    for (const { key } of storage.range({ start: 'pods/', end: 'pods0' })) read.push(key);
    assert.equal(read, keys);
    assert.is(Array.from(storage.range({ start: 'pods/', end: 'pods0', limit: 700 })).length, 700);
    assert.is(Array.from(storage.changes(0, 'pods/')).length, keys.length);
    assert.is(Array.from(storage.changes(100, 'pods/', 600)).length, 600);
  }));

test('errors are of the classes that they were of', () =>
  withStore(remoteStore, async ({ storage }) => {
    const revision = await storage.create('pods/a', bytes('1'));
    const error = await rejection(storage.update('pods/a', revision + 5, bytes('2')));
    assert.instance(error, Conflict);
    assert.is((error as Conflict).actualRevision, revision);
  }));

test('calls say which part of a trace they belong to, and no others do', async () => {
  const thread = new Worker(new URL('./store-thread.ts', import.meta.url));
  thread.postMessage('open');
  const [data] = (await once(thread, 'message')) as [RemoteStoreData];
  const parts: string[] = [];
  thread.on('message', ({ part }: { part: string }) => parts.push(part));
  const storage = new RemoteStorage(data);
  const part = (id: string): Part => ({ id, begin: () => assert.unreachable() as never });
  const scanned = (): unknown => storage.scan({ start: 'pods/', end: 'pods0' }).next(() => true);
  await withinPart(part('01'), () => storage.create('pods/a', bytes('1')));
  withinPart(part('02'), () => storage.get('pods/a'));
  withinPart(part('03'), scanned);
  await storage.create('pods/b', bytes('1'));
  storage.get('pods/b');
  scanned();
  // behind all that came before
  const last = withinPart(part('04'), () => storage.probe());
  await last;
  while (!parts.includes('04')) await once(thread, 'message');
  assert.equal([...new Set(parts)], ['01', '02', '03', '04']);
  await storage.close();
  await thread.terminate();
});

test.run();
