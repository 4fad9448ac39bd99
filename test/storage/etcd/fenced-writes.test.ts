/** Writes of who may write only while a fence holds, of several stores of one etcd. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Conflict, GuardBroken, KeyExists, WriteFenced } from '../../../runtime/storage/errors.ts';
import type { EtcdStorage } from '../../../runtime/storage/etcd/etcd-storage.ts';
import type { Fence, Storage } from '../../../runtime/storage/storage.ts';
import { startEtcd } from '../../harness/etcd.ts';
import { all, bytes, rejection } from '../contract/store.ts';
import { allOfEtcd, withStores } from './opened-stores.ts';

const etcd = await startEtcd();
const client = etcd.client();
let prefixes = 0;

const test = suite('writes within a fence');
test.after(async () => {
  client.close();
  await etcd.stop();
});

const FENCE = 'fence';

async function refused(kind: new (...parts: never[]) => Error, written: Promise<unknown>): Promise<void> {
  assert.instance(await rejection(written), kind);
}

/** A writer, as long as the value of the fence is its name as its store sees it. */
function writer(store: EtcdStorage, name: string): { readonly fenced: Storage; asked: number; take(): Promise<unknown> } {
  const fence: Fence = {
    key: FENCE,
    revision() {
      own.asked++;
      return store.look(FENCE, ({ value, revision }) => (value.toString() === name ? revision : undefined));
    },
  };
  const own = {
    fenced: store.fenced(fence),
    asked: 0,
    take() {
      const revision = store.revisionOf(FENCE);
      return revision === undefined ? store.create(FENCE, bytes(name)) : store.update(FENCE, revision, bytes(name));
    },
  };
  return own;
}

/** @param body gets two stores, each with a writer of which the first holds the fence */
function row(title: string, body: (prefix: string, one: EtcdStorage, two: EtcdStorage) => Promise<void>): void {
  test(title, () => {
    const prefix = `/f${++prefixes}`;
    return withStores(etcd, { prefix }, 2, (one, two) => body(prefix, one as EtcdStorage, two as EtcdStorage));
  });
}

row('are made as others are while it holds', async (_prefix, one) => {
  const { fenced, take } = writer(one, 'one');
  await take();
  const created = await fenced.create('a', bytes('1'));
  await refused(KeyExists, fenced.create('a', bytes('2')));
  const updated = await fenced.update('a', created, bytes('3'));
  await refused(Conflict, fenced.update('a', created, bytes('4')));
  await refused(Conflict, fenced.delete('a', created, bytes('4')));
  assert.equal(all(fenced), all(one));
  await fenced.delete('a', updated, bytes('3'));
  assert.is(fenced.get('a'), undefined);
});

row('are refused to who does not hold it, and nothing is asked of etcd', async (prefix, one, two) => {
  const [first, second] = [writer(one, 'one'), writer(two, 'two')];
  await refused(WriteFenced, first.fenced.create('a', bytes('1')));
  await first.take();
  const revision = await first.fenced.create('a', bytes('1'));
  await two.barrier();
  await refused(WriteFenced, second.fenced.create('b', bytes('1')));
  await refused(WriteFenced, second.fenced.update('a', revision, bytes('2')));
  await refused(WriteFenced, second.fenced.delete('a', revision, bytes('2')));
  assert.is((await allOfEtcd(client, prefix)).length, 2);
});

for (const [what, write] of [
  ['a create', (store) => store.create('b', bytes('late'))],
  ['an update', (store, revision) => store.update('a', revision, bytes('late'))],
  ['a delete', (store, revision) => store.delete('a', revision, bytes('late'))],
] as const satisfies readonly (readonly [string, (store: Storage, revision: number) => Promise<number>])[])
  row(`${what} that comes to etcd after another one has it is refused there`, async (prefix, one, two) => {
    const [first, second] = [writer(one, 'one'), writer(two, 'two')];
    await first.take();
    const revision = await first.fenced.create('a', bytes('1'));
    await two.barrier();
    // it is decided by what was here before
    const known = one.revisionOf(FENCE);
    await second.take();
    let isFirst = true;
    const late = one.fenced({
      key: FENCE,
      revision() {
        if (!isFirst) return one.look(FENCE, ({ value, revision: now }) => (value.toString() === 'one' ? now : undefined));
        isFirst = false;
        return known;
      },
    });
    await refused(WriteFenced, write(late, revision));
    assert.not.ok(isFirst);
    assert.equal(
      (await allOfEtcd(client, prefix)).map((each) => each.replace(/@\d+/, '')),
      ['a=1', 'fence=two'],
    );
  });

row('are made though its holder renews it meanwhile', async (_prefix, one) => {
  const first = writer(one, 'one');
  await first.take();
  const writes: Promise<unknown>[] = [];
  for (let i = 0; i < 50; i++) {
    const renewed = first.take();
    writes.push(first.fenced.create(`a/${i}`, bytes('1')));
    await renewed;
  }
  await Promise.all(writes);
  assert.is(one.count({ start: 'a/', end: 'a0' }), 50);
  assert.ok(first.asked > 50, `${first.asked}`);
});

row('heed their own guard as well', async (_prefix, one) => {
  const first = writer(one, 'one');
  await first.take();
  const guard = { key: 'guard', revision: undefined };
  const created = await first.fenced.create('a', bytes('1'), guard);
  await one.create('guard', bytes('1'));
  await refused(GuardBroken, first.fenced.update('a', created, bytes('2'), guard));
});

test.run();
