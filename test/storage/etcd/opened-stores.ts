/** Stores over a real etcd, and what tests hold them against. */
import * as assert from 'uvu/assert';
import type { EtcdClient } from '../../../runtime/storage/etcd/client/etcd-client.ts';
import { type EtcdStorage, openEtcdStorage } from '../../../runtime/storage/etcd/etcd-storage.ts';
import type { WatchdogOptions } from '../../../runtime/storage/etcd/etcd-watchdog.ts';
import type { Storage } from '../../../runtime/storage/storage.ts';
import type { Etcd } from '../../harness/etcd.ts';
import { all } from '../contract/store.ts';
import { plainValues } from './plain-values.ts';

const RARELY: WatchdogOptions = { timeout: 1_000_000, sizeInterval: 0 };

export interface OpenSettings {
  readonly prefix: string;
  /** milliseconds for a call of etcd's */
  readonly requestTimeout?: number;
  /** absent: it looks so rarely that no test hears of it */
  readonly watchdog?: WatchdogOptions;
}

export function openStore(etcd: Etcd, { prefix, requestTimeout, watchdog = RARELY }: OpenSettings): Promise<EtcdStorage> {
  return openEtcdStorage({ client: etcd.client(requestTimeout), prefix, codec: plainValues, watchdog });
}

/** Opens stores, and closes them whatever the test does. */
export async function withStores(
  etcd: Etcd,
  settings: OpenSettings,
  count: number,
  body: (...stores: EtcdStorage[]) => Promise<void>,
): Promise<void> {
  const stores = await Promise.all(Array.from({ length: count }, () => openStore(etcd, settings)));
  try {
    await body(...stores);
  } finally {
    await Promise.all(stores.map((store) => store.close()));
  }
}

/** As `all` shows a store, of etcd itself. */
export async function allOfEtcd(client: EtcdClient, prefix: string): Promise<string[]> {
  const { kvs } = await client.range({ key: `${prefix}/`, end: `${prefix}0` });
  return kvs.map(({ key, value, modRevision }) => `${key.toString().slice(prefix.length + 1)}@${modRevision}=${value}`);
}

/** Whatever revision one begins with, its range and the changes behind it make what there is now. @param step between revisions that are tried */
export function assertReplayable(storage: Storage, step = 1): void {
  const expected = all(storage);
  const newest = storage.currentRevision();
  for (let from = storage.compactedRevision(); from <= newest; from += step) {
    const replayed = new Map<string, string>();
    for (const { key, revision, value } of storage.range({ start: '', end: '', atRevision: from }))
      replayed.set(key, `${key}@${revision}=${value}`);
    for (const { operation, key, revision, value } of storage.changes(from, '')) {
      assert.is(operation === 'create', !replayed.has(key), `${operation} of ${key} at ${revision}, from ${from}`);
      if (operation === 'delete') replayed.delete(key);
      else replayed.set(key, `${key}@${revision}=${value}`);
    }
    assert.equal([...replayed.values()].toSorted(), expected.toSorted(), `from revision ${from}`);
  }
}
