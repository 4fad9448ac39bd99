/** Stores whose etcd is killed again and again while they write: what they were told of their writes is what is found. */
import { setTimeout as delay } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Conflict, StorageUnreachable } from '../../../runtime/storage/errors.ts';
import type { EtcdStorage } from '../../../runtime/storage/etcd/etcd-storage.ts';
import { startEtcd } from '../../harness/etcd.ts';
import { all, bytes, told } from '../contract/store.ts';
import { until } from './held-etcd.ts';
import { allOfEtcd, assertReplayable, withStores } from './opened-stores.ts';

const PREFIX = '/registry';
const KILLS = 4;
/** Milliseconds for a call, and for longer than calls wait. */
const TIMEOUT = 500;
const LONGER = 900;
const WRITERS = 8;

const etcd = await startEtcd();
const killed = suite('an etcd that is killed');
killed.after(() => etcd.stop());

/** What a store has told of its writes. */
class Told {
  readonly done = new Set<string>();
  readonly refused = new Set<string>();
  readonly unknown = new Set<string>();
  /** by counter: increments that were acknowledged, and that perhaps were made */
  readonly counted = new Map<string, { done: number; unknown: number }>();

  counter(key: string): { done: number; unknown: number } {
    const counter = this.counted.get(key) ?? { done: 0, unknown: 0 };
    this.counted.set(key, counter);
    return counter;
  }
}

/** @returns whether it was made; undefined where nobody knows */
async function outcome(written: Promise<number>): Promise<boolean | undefined> {
  try {
    await written;
    return true;
  } catch (error) {
    if (error instanceof StorageUnreachable) return error.outcomeUnknown ? undefined : false;
    if (error instanceof Conflict) return false;
    throw error;
  }
}

/** Keys of its own, one after the other, and counters that all share. */
async function write(storage: EtcdStorage, name: string, told: Told, isOver: () => boolean): Promise<void> {
  for (let i = 0; !isOver(); i++) {
    const key = `pods/${name}/${i}`;
    const made = await outcome(storage.create(key, bytes(key)));
    (made === undefined ? told.unknown : made ? told.done : told.refused).add(key);
    const counter = `counters/${i % 3}`;
    const found = storage.get(counter);
    if (found === undefined) continue;
    const increased = await outcome(storage.update(counter, found.revision, bytes(String(Number(found.value) + 1))));
    if (increased === true) told.counter(counter).done++;
    if (increased === undefined) told.counter(counter).unknown++;
  }
}

killed('no write that was acknowledged is lost, none is made twice, and followers end equal', () =>
  withStores(etcd, { prefix: PREFIX, requestTimeout: TIMEOUT }, 2, async (one, other) => {
    const [first, second] = [one as EtcdStorage, other as EtcdStorage];
    for (let i = 0; i < 3; i++) await first.create(`counters/${i}`, bytes('0'));
    await second.barrier();
    const from = first.currentRevision();
    const noted = new Told();
    let ended = false;
    const writers = Array.from({ length: WRITERS }, (_, i) => write(i % 2 === 0 ? first : second, `w${i}`, noted, () => ended));
    for (let i = 0; i < KILLS; i++) {
      await delay(300);
      await etcd.kill();
      // every other time for longer than calls wait
      await delay(i % 2 === 0 ? 100 : LONGER);
      await etcd.restart();
    }
    await delay(500);
    ended = true;
    await Promise.all(writers);
    await Promise.all([first.barrier(), second.barrier()]);

    const client = etcd.client();
    const expected = await allOfEtcd(client, PREFIX);
    client.close();
    for (const storage of [first, second]) {
      assert.equal(all(storage), expected);
      assertReplayable(storage, 500);
      const keys = new Set([...storage.range({ start: 'pods/', end: 'pods0' })].map(({ key }) => key));
      assert.equal(
        [...noted.done].filter((key) => !keys.has(key)),
        [],
      );
      assert.equal(
        [...noted.refused].filter((key) => keys.has(key)),
        [],
      );
      for (const [key, { done, unknown }] of noted.counted) {
        const count = Number(storage.get(key)?.value);
        assert.ok(count >= done && count <= done + unknown, `${key} is ${count} of ${done} and perhaps ${unknown} more`);
      }
    }
    assert.equal(told(first.changes(from, '')), told(second.changes(from, '')));
    assert.ok(noted.done.size > 30 && noted.unknown.size > 0, `${noted.done.size} done, ${noted.unknown.size} unknown`);
    for (const storage of [first, second]) await until(() => storage.problem() === undefined);
  }),
);

killed('a store whose etcd has gone closes, and the next one finds no etcd', async () => {
  await withStores(etcd, { prefix: PREFIX, requestTimeout: TIMEOUT }, 1, async (storage) => {
    await etcd.kill();
    const begun = performance.now();
    await (storage as EtcdStorage).close();
    assert.ok(performance.now() - begun < 3_000);
  });
  const error = await withStores(etcd, { prefix: PREFIX, requestTimeout: TIMEOUT }, 1, async () => {}).catch((thrown: Error) => thrown);
  assert.instance(error, StorageUnreachable);
});

killed.run();
