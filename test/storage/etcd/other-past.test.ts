import { cpSync, rmSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { StorageEnded } from '../../../runtime/storage/errors.ts';
import type { EtcdClient } from '../../../runtime/storage/etcd/client/etcd-client.ts';
import { EtcdError } from '../../../runtime/storage/etcd/client/etcd-error.ts';
import { type EtcdStorage, openEtcdStorage } from '../../../runtime/storage/etcd/etcd-storage.ts';
import { type Etcd, etcdOrSkip, startEtcd } from '../../harness/etcd.ts';
import { bytes, rejection, thrown } from '../contract/store.ts';
import { plainValues } from './plain-values.ts';

await etcdOrSkip();

const test = suite('a store in an etcd that is restored from a backup');

interface Restored {
  readonly etcd: Etcd;
  /** of the store */
  readonly client: EtcdClient;
  readonly storage: EtcdStorage;
  /** why the store has ended */
  readonly ends: Error[];
  /** Puts back what etcd had when the test began, and runs `meanwhile` with it before the store hears of it. */
  restore(meanwhile?: () => Promise<void>): Promise<void>;
}

async function withBackup(body: (restored: Restored) => Promise<void>): Promise<void> {
  const etcd = await startEtcd({ unsafeNoFsync: false });
  const folder = path.join(etcd.directory, 'member');
  const backup = path.join(etcd.directory, 'backup');
  let storage: EtcdStorage | undefined;
  try {
    const ends: Error[] = [];
    const client = etcd.client(1_000);
    storage = await openEtcdStorage({
      client,
      prefix: '/registry',
      codec: plainValues,
      onEnd: (reason) => ends.push(reason),
      watchdog: { timeout: 500, sizeInterval: 0 },
    });
    await storage.create('pods/a', bytes('1'));
    await etcd.kill();
    cpSync(folder, backup, { recursive: true });
    await etcd.start();
    await storage.barrier();
    const restore = async (): Promise<void> => {
      await etcd.kill();
      rmSync(folder, { recursive: true });
      cpSync(backup, folder, { recursive: true });
      await etcd.start();
    };
    await body({ etcd, client, storage, ends, restore });
  } finally {
    await storage?.close();
    await etcd.stop();
  }
}

async function ended({ storage, ends }: Restored): Promise<void> {
  for (let i = 0; i < 100 && ends.length === 0; i++) await sleep(100);
  assert.is(ends.length, 1, 'it has not ended');
  assert.instance(ends[0], StorageEnded);
  for (const read of [() => storage.get('pods/a'), () => storage.currentRevision(), () => storage.changes(0, '')])
    assert.instance(thrown(read), StorageEnded);
  for (const write of [() => storage.create('pods/c', bytes('1')), async () => storage.barrier()])
    assert.instance(await rejection(write()), StorageEnded);
}

test('ends where etcd is behind what it was', () =>
  withBackup(async (restored) => {
    for (const key of ['pods/b', 'pods/c']) await restored.storage.create(key, bytes('lost'));
    await restored.restore();
    await ended(restored);
  }));

test('ends where etcd has had other changes since', () =>
  withBackup(async (restored) => {
    const { storage, etcd } = restored;
    await storage.create('pods/b', bytes('lost'));
    const other = etcd.client();
    await restored.restore();
    for (let i = 0; i < 5; i++)
      await other.transaction({ compare: [], success: [{ op: 'put', key: `/registry/pods/x${i}`, value: Buffer.from('1') }], failure: [] });
    other.close();
    await ended(restored);
  }));

test('ends where etcd has had other changes since, and did not answer when it was first asked for them', () =>
  withBackup(async (restored) => {
    const { storage, etcd, client } = restored;
    await storage.create('pods/b', bytes('lost'));
    const other = etcd.client();
    // as if it came up behind that question and before the next watch
    let unanswered = 0;
    const range = client.range.bind(client);
    Object.assign(client, {
      range: (...asked: Parameters<typeof range>) => {
        if (unanswered-- > 0) return Promise.reject(new EtcdError('UNAVAILABLE', 'no connection'));
        return range(...asked);
      },
    });
    unanswered = Number.POSITIVE_INFINITY;
    await restored.restore();
    for (let i = 0; i < 5; i++)
      await other.transaction({ compare: [], success: [{ op: 'put', key: `/registry/pods/x${i}`, value: Buffer.from('1') }], failure: [] });
    other.close();
    await sleep(1_500);
    assert.equal(
      [...storage.range({ start: '', end: '' })].map(({ key }) => key),
      ['pods/a', 'pods/b'],
      'nothing of another past comes here',
    );
    unanswered = 0;
    await ended(restored);
  }));

test('goes on where etcd is what it was', () =>
  withBackup(async ({ storage, etcd, ends }) => {
    await storage.create('pods/b', bytes('1'));
    for (const revision of [storage.revisionOf('pods/b')]) await storage.delete('pods/b', revision as number, bytes('gone'));
    await etcd.restart();
    await storage.create('pods/c', bytes('1'));
    await etcd.restart();
    await storage.barrier();
    await sleep(1_000);
    assert.equal([ends, storage.count({ start: '', end: '' })], [[], 2]);
  }));

test.run();
