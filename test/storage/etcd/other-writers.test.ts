/** What others write to the etcd of a store: other stores, and plain transactions. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Conflict, GuardBroken, KeyExists, KeyNotFound } from '../../../runtime/storage/errors.ts';
import type { Op } from '../../../runtime/storage/etcd/client/etcd-client.ts';
import type { EtcdStorage } from '../../../runtime/storage/etcd/etcd-storage.ts';
import { startEtcd } from '../../harness/etcd.ts';
import { all, bytes, rejection, told } from '../contract/store.ts';
import { put } from './client/asked.ts';
import { until } from './held-etcd.ts';
import { allOfEtcd, assertReplayable, withStores } from './opened-stores.ts';

const etcd = await startEtcd({ flags: ['--max-txn-ops=2000'] });
const client = etcd.client();
let prefixes = 0;

const others = suite('other writers of one etcd');
others.after(async () => {
  client.close();
  await etcd.stop();
});

/** @param count of stores that share the prefix */
function row(title: string, count: number, body: (prefix: string, ...stores: EtcdStorage[]) => Promise<void>): void {
  others(title, () => {
    const prefix = `/r${++prefixes}`;
    return withStores(etcd, { prefix }, count, (...stores) => body(prefix, ...stores));
  });
}

const transact = (...success: Op[]) => client.transaction({ compare: [], success, failure: [] });

row('puts and deletes of one transaction are changes of one revision, which come together', 1, async (prefix, storage) => {
  const before = storage.currentRevision();
  await put(client, { [`${prefix}/a`]: '1', [`${prefix}/b`]: '2', [`${prefix}/c`]: '3' });
  const { revision } = await transact(
    { op: 'put', key: `${prefix}/a`, value: Buffer.from('4') },
    { op: 'delete', key: `${prefix}/b` },
    { op: 'put', key: `${prefix}/d`, value: Buffer.from('5') },
    { op: 'put', key: `${prefix}-other/d`, value: Buffer.from('6') },
  );
  await storage.barrier();
  const changes = [`update a@${revision}=4<1`, `delete b@${revision}=2<2`, `create d@${revision}=5`];
  assert.equal(told(storage.changes(revision - 1, '')), changes);
  assert.equal(told(storage.changes(revision - 1, '', 1)), changes);
  assert.equal(all(storage), [`a@${revision}=4`, `c@${revision - 1}=3`, `d@${revision}=5`]);
  assert.equal(
    all(storage, revision - 1),
    ['a', 'b', 'c'].map((key, i) => `${key}@${revision - 1}=${i + 1}`),
  );
  assert.equal(all(storage, before), []);
  assertReplayable(storage);
});

for (const [what, end] of [
  ['the end of a lease', undefined],
  ['a lease that is revoked', (id: bigint) => client.revokeLease(id)],
] as const)
  row(`${what} removes its keys at once`, 1, async (prefix, storage) => {
    const { id } = await client.grantLease(1);
    const keys = Array.from({ length: 1_000 }, (_, i) => String(i).padStart(4, '0'));
    await transact(...keys.map((key): Op => ({ op: 'put', key: `${prefix}/${key}`, value: Buffer.from(key), lease: id })));
    await storage.create('other', bytes('stays'));
    await storage.barrier();
    assert.is(storage.count({ start: '', end: '' }), 1_001);
    const seen = new Set<number>();
    storage.onCommit(() => seen.add(storage.count({ start: '', end: '' })));
    await end?.(id);
    await until(() => storage.count({ start: '', end: '' }) === 1);
    assert.equal([...seen], [1]);
    const removed = [...storage.changes(storage.currentRevision() - 1, '', 10)];
    assert.equal(
      removed.map(({ operation, key, value }) => `${operation} ${key}=${value}`),
      keys.map((key) => `delete ${key}=${key}`),
    );
    assert.is(new Set(removed.map(({ revision }) => revision)).size, 1);
    assertReplayable(storage);
  });

row('who is refused finds here what the refusal tells', 2, async (prefix, storage, other) => {
  for (let i = 0; i < 100; i++) {
    const key = `k${i}`;
    const first = await storage.create(key, bytes('1'));
    const { revision } = await put(client, { [`${prefix}/${key}`]: 'of another' });
    const conflict = (await rejection(storage.update(key, first, bytes('2')))) as Conflict;
    assert.instance(conflict, Conflict);
    assert.is(conflict.actualRevision, revision);
    assert.is(storage.revisionOf(key), revision);
    // the other store need not have heard of it
    const exists = (await rejection(other.create(key, bytes('3')))) as KeyExists;
    assert.instance(exists, KeyExists);
    assert.is(exists.revision, revision);
    assert.is(other.revisionOf(key), revision);
    await transact({ op: 'delete', key: `${prefix}/${key}` });
    assert.instance(await rejection(storage.delete(key, revision, bytes('3'))), KeyNotFound);
    assert.is(storage.revisionOf(key), undefined);
    const broken = (await rejection(other.create(`${key}/x`, bytes('4'), { key, revision }))) as GuardBroken;
    assert.instance(broken, GuardBroken);
    assert.is(broken.actualRevision, undefined);
    assert.is(other.revisionOf(key), undefined);
  }
});

row('what one store has written the other one has behind its barrier', 2, async (_prefix, one, other) => {
  const chain = async (name: string, writer: EtcdStorage, reader: EtcdStorage): Promise<void> => {
    let revision: number | undefined;
    for (let i = 0; i < 60; i++) {
      revision = revision === undefined ? await writer.create(name, bytes('0')) : await writer.update(name, revision, bytes(String(i)));
      await reader.barrier();
      assert.ok((reader.revisionOf(name) as number) >= revision, name);
      assert.is(reader.get(name)?.value.toString(), String(i));
      if (i % 10 !== 9) continue;
      await writer.delete(name, revision, bytes('last'));
      await reader.barrier();
      assert.is(reader.revisionOf(name), undefined);
      revision = await writer.create(name, bytes('again'));
    }
  };
  await Promise.all(Array.from({ length: 10 }, (_, i) => (i % 2 === 0 ? chain(`k${i}`, one, other) : chain(`k${i}`, other, one))));
});

row('a barrier passes though the newest revision is of other keys', 1, async (prefix, storage) => {
  for (let i = 0; i < 20; i++) {
    const { revision } = await put(client, { [`${prefix}-other`]: String(i) });
    await storage.barrier();
    assert.ok(storage.currentRevision() >= revision);
  }
});

row('a store that is opened again has the past, as far as etcd has it', 1, async (prefix, storage) => {
  const first = await storage.create('a', bytes('0'));
  let revision = first;
  for (let i = 1; i < 50; i++) revision = await storage.update('a', revision, bytes(String(i)));
  await storage.delete('a', revision, bytes('last'));
  await withStores(etcd, { prefix }, 1, async (again) => {
    assert.ok((again?.compactedRevision() as number) <= first);
    assert.is([...(again as EtcdStorage).changes(first, '')].length, 50);
    assert.is(again?.get('a', first + 20)?.value.toString(), '20');
    assertReplayable(again as EtcdStorage, 7);
  });
  await client.compact(first + 30);
  await withStores(etcd, { prefix }, 1, async (again) => {
    assert.is(again?.compactedRevision(), first + 30);
    assert.is([...(again as EtcdStorage).changes(first + 30, '')].length, 20);
    assertReplayable(again as EtcdStorage, 3);
  });
});

for (const key of ['pods/a\ufffdb', 'pods/größe', 'pods/\u{1f600}'])
  row(`a key as odd as ${key} is written and found`, 2, async (_prefix, storage, other) => {
    const revision = await storage.create(key, bytes('1'));
    await other.barrier();
    assert.is(other.revisionOf(key), revision);
  });

/** Writes at random for a while: some of it is refused, as others were sooner. */
async function writeAtRandom(storage: EtcdStorage, name: string, until: number): Promise<number> {
  let done = 0;
  for (let i = 0; performance.now() < until; i++) {
    const key = `${i % 3 === 0 ? 'pods' : 'nodes'}/${Math.floor(Math.random() * 12)}`;
    const revision = storage.revisionOf(key);
    const value = bytes(`${name} ${i}`);
    const removes = Math.random() < 0.3;
    const written =
      revision === undefined
        ? storage.create(key, value)
        : removes
          ? storage.delete(key, revision, value)
          : storage.update(key, revision, value);
    const error = await written.then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    if (error === undefined) done++;
    else
      assert.ok(
        [Conflict, KeyExists, KeyNotFound].some((each) => error instanceof each),
        String(error),
      );
  }
  return done;
}

async function transactAtRandom(prefix: string, until: number): Promise<void> {
  for (let i = 0; performance.now() < until; i++) {
    const names = new Set(
      Array.from({ length: 5 }, () => `${prefix}/${Math.random() < 0.5 ? 'pods' : 'nodes'}/${Math.floor(Math.random() * 12)}`),
    );
    await transact(
      ...[...names].map((key): Op => (Math.random() < 0.3 ? { op: 'delete', key } : { op: 'put', key, value: Buffer.from(`plain ${i}`) })),
    );
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}

for (const compacts of [false, true])
  row(
    `whatever several write at once, list and watch agree in each store${compacts ? ', while etcd and one of them are compacted' : ''}`,
    2,
    async (prefix, one, other) => {
      for (let round = 0; round < 3; round++) {
        const until = performance.now() + 500;
        const done = await Promise.all([
          ...['a', 'b', 'c'].map((name) => writeAtRandom(one, name, until)),
          ...['d', 'e', 'f'].map((name) => writeAtRandom(other, name, until)),
          transactAtRandom(prefix, until).then(() => 1),
          compacts ? compactAtRandom(one, until).then(() => 1) : 1,
        ]);
        for (const count of done) assert.ok(count > 0);
        await Promise.all([one.barrier(), other.barrier()]);
        const expected = await allOfEtcd(client, prefix);
        for (const storage of [one, other]) {
          assert.equal(all(storage), expected);
          assertReplayable(storage, Math.max(1, Math.floor((storage.currentRevision() - storage.compactedRevision()) / 40)));
        }
      }
      // what both have of the past is the same
      const from = Math.max(one.compactedRevision(), other.compactedRevision());
      const past = (storage: EtcdStorage) =>
        told(storage.changes(from, '')).map((text) => (text.startsWith('delete') ? text.split('=')[0] : text));
      assert.equal(past(one), past(other));
    },
  );

async function compactAtRandom(storage: EtcdStorage, until: number): Promise<void> {
  while (performance.now() < until) {
    await storage.compact(storage.currentRevision() - Math.floor(Math.random() * 5));
    await new Promise((resolve) => setTimeout(resolve, 50));
    // what is compacted already is refused
    await client.compact(storage.currentRevision()).catch(() => {});
  }
}

others.run();
