/** Leases that keys share: how long they are given, to how many keys, and what becomes of one that etcd has not. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { StorageFull, StorageUnreachable } from '../../../runtime/storage/errors.ts';
import { EtcdError } from '../../../runtime/storage/etcd/client/etcd-error.ts';
import { type LeaseTimes, SharedLeases } from '../../../runtime/storage/etcd/shared-leases.ts';
import { rejection } from '../contract/store.ts';

/** As etcd grants leases, with a clock in the test's hands. */
class Granting {
  /** milliseconds */
  now = 1_000_000;
  readonly seconds: number[] = [];
  readonly ended: number[] = [];
  readonly leases: SharedLeases;
  before: () => Promise<void> | void = () => {};

  constructor(times: LeaseTimes) {
    const grantLease = async (ttl: number) => {
      this.seconds.push(ttl);
      const id = BigInt(this.seconds.length);
      await this.before();
      return { id, ttl };
    };
    this.leases = new SharedLeases(
      { grantLease },
      times,
      (keys) => this.ended.push(keys),
      () => this.now,
    );
  }

  take(): Promise<bigint> {
    return this.leases.using(async (lease) => lease);
  }

  /** how many writes got each lease */
  async many(count: number): Promise<Record<string, number>> {
    const taken = await Promise.all(Array.from({ length: count }, () => this.take()));
    return Object.fromEntries([...Map.groupBy(taken, String)].map(([id, each]) => [id, each.length]));
  }
}

const gone = (): StorageUnreachable => {
  const cause = new EtcdError('NOT_FOUND', 'etcdserver: requested lease not found');
  return new StorageUnreachable(cause.message, { cause });
};

const test = suite('leases that keys share');

test('one is given for as long as it may be shared, and lasts longer by that', async () => {
  const granting = new Granting({ life: 3_600, shared: 60 });
  assert.is(await granting.take(), 1n);
  granting.now += 59_999;
  assert.is(await granting.take(), 1n);
  granting.now += 1;
  assert.is(await granting.take(), 2n);
  assert.equal(granting.seconds, [3_660, 3_660]);
  assert.equal(granting.ended, [2]);
});

test('a thousand keys have one, whether they come at once or not', async () => {
  const granting = new Granting({ life: 3_600, shared: 60 });
  assert.equal(await granting.many(2_500), { 1: 1_000, 2: 1_000, 3: 500 });
  assert.equal(await granting.many(501), { 3: 500, 4: 1 });
  assert.equal(granting.ended, [1_000, 1_000, 1_000]);
});

test('where none is shared each key has its own, but for those that come while one is granted', async () => {
  const granting = new Granting({ life: 10, shared: 0 });
  for (const id of [1n, 2n, 3n]) assert.is(await granting.take(), id);
  assert.equal(granting.seconds, [10, 10, 10]);
});

test('one that takes longer than it may be shared is given to who waits for it', async () => {
  const granting = new Granting({ life: 20, shared: 1 });
  granting.before = () => {
    granting.now += 5_000;
  };
  assert.equal(await granting.many(3), { 1: 3 });
  assert.equal(await granting.many(2), { 2: 2 });
});

test('one that etcd has not any more is given to nobody else, and the write is made with another one', async () => {
  const granting = new Granting({ life: 3_600, shared: 60 });
  const revoked = 1n;
  const tried: bigint[] = [];
  const write = async (lease: bigint): Promise<bigint> => {
    tried.push(lease);
    if (lease === revoked) throw gone();
    return lease;
  };
  assert.equal(await Promise.all([granting.leases.using(write), granting.leases.using(write)]), [2n, 2n]);
  assert.equal(tried, [1n, 1n, 2n, 2n]);
  const always = (await rejection(granting.leases.using(() => Promise.reject(gone())))) as StorageUnreachable;
  assert.instance(always, StorageUnreachable);
  assert.is(always.outcomeUnknown, false);
});

test('a lease that was replaced before it turned out to be gone takes none of the one behind it', async () => {
  const granting = new Granting({ life: 3_600, shared: 60 });
  const write = async (lease: bigint): Promise<bigint> => {
    if (lease !== 1n) return lease;
    granting.now += 60_000;
    assert.is(await granting.take(), 2n);
    throw gone();
  };
  assert.is(await granting.leases.using(write), 2n);
  assert.is(await granting.take(), 2n);
});

test('a write that etcd may have made is not made once more', async () => {
  const granting = new Granting({ life: 3_600, shared: 60 });
  const cause = new EtcdError('UNAVAILABLE', 'the connection broke');
  const broken = new StorageUnreachable(cause.message, { cause, outcomeUnknown: true });
  const tried: bigint[] = [];
  const write = async (lease: bigint): Promise<void> => {
    tried.push(lease);
    throw broken;
  };
  assert.is(await rejection(granting.leases.using(write)), broken);
  assert.equal(tried, [1n]);
});

test('what else a write fails with, it fails with', async () => {
  const granting = new Granting({ life: 3_600, shared: 60 });
  const full = new StorageFull('full');
  assert.is(await rejection(granting.leases.using(() => Promise.reject(full))), full);
  assert.is(await granting.take(), 1n);
});

test('where none is granted nothing is written, and the next write asks again', async () => {
  const granting = new Granting({ life: 3_600, shared: 60 });
  granting.before = () => Promise.reject(new EtcdError('DEADLINE_EXCEEDED', 'late'));
  const error = (await rejection(granting.take())) as StorageUnreachable;
  assert.instance(error, StorageUnreachable);
  assert.is(error.outcomeUnknown, false);
  granting.before = () => Promise.reject(new EtcdError('RESOURCE_EXHAUSTED', 'etcdserver: mvcc: database space exceeded'));
  assert.instance(await rejection(granting.take()), StorageFull);
  granting.before = () => {};
  assert.is(await granting.take(), 3n);
});

test.run();
