import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { EtcdError } from '../../../runtime/storage/etcd/client/etcd-error.ts';
import { KeyNames } from '../../../runtime/storage/etcd/key-names.ts';
import { load, pages } from '../../../runtime/storage/etcd/loading.ts';
import type { ValueCodec } from '../../../runtime/storage/etcd/value-codec.ts';
import type { MemoryData } from '../../../runtime/storage/memory/memory-data.ts';
import { rejection } from '../contract/store.ts';
import { away, compacted, HeldEtcd } from './held-etcd.ts';
import { plainValues } from './plain-values.ts';

/** Revisions before the newest one that are looked for. */
const PAST = 2_000;
const MEGABYTE = 1024 * 1024;

const loading = suite('loading what etcd has');

const followed = (etcd: HeldEtcd, codec: ValueCodec = plainValues) => ({ client: etcd.client, names: new KeyNames('/r'), codec });

/** Key, revision and bytes of each entry. */
function entries({ keys }: MemoryData): string[] {
  const found: string[] = [];
  keys.visit('', '', (key, { revision, value }) => found.push(`${key}@${revision}: ${value.length}`) > 0);
  return found;
}

/** Pages of all keys: how many were asked for, the size of each and what it was asked at. */
const pagesOf = (etcd: HeldEtcd) => etcd.ranges.filter(({ limit }) => limit !== 1);

loading('of nothing it is nothing, at the revision of etcd', async () => {
  const etcd = new HeldEtcd();
  etcd.change({ '/other': '1' });
  const data = await load(followed(etcd), false);
  assert.equal(entries(data), []);
  assert.is(data.revision, etcd.revision);
  assert.is(data.compacted, etcd.revision);
});

loading('keys at the edges of pages come once each, all at one revision', async () => {
  const etcd = new HeldEtcd();
  const names = Array.from({ length: 1_000 }, (_, i) => `/r/${String(i).padStart(4, '0')}`);
  for (const name of names) etcd.change({ [name]: name });
  etcd.change({ '/r0': 'behind', '/r': 'before', '/q/x': 'before' });
  etcd.compacted = etcd.revision;
  const at = etcd.revision;
  etcd.beforeRange = ({ revision }) => {
    // the newest is not what the first page was of
    if (revision === undefined) etcd.revision++;
  };
  const data = await load(followed(etcd), false);
  assert.is(data.revision, at + 1);
  assert.equal(
    entries(data),
    names.map((name, i) => `${name.slice(3)}@${i + 2}: ${name.length}`),
  );
  const asked = pagesOf(etcd);
  assert.ok(asked.length > 1);
  assert.equal(
    asked.map(({ revision }) => revision),
    [undefined, ...asked.slice(1).map(() => at + 1)],
  );
});

loading('pages have as many keys as make some megabytes, and grow by steps', async () => {
  const etcd = new HeldEtcd();
  const huge = Buffer.alloc(MEGABYTE, 'x');
  const small = (from: string, count: number) =>
    etcd.change(Object.fromEntries(Array.from({ length: count }, (_, i) => [`/r/${from}/${String(i).padStart(5, '0')}`, 'x'])));
  small('a', 250);
  etcd.change(Object.fromEntries(Array.from({ length: 60 }, (_, i) => [`/r/b/${String(i).padStart(5, '0')}`, huge])));
  small('c', 3_000);
  etcd.compacted = etcd.revision;
  const data = await load(followed(etcd), false);
  assert.is(entries(data).length, 3_310);
  const limits = pagesOf(etcd).map(({ limit }) => limit as number);
  for (const [i, limit] of limits.entries()) {
    const before = limits[i - 1] ?? limit;
    assert.ok(limit >= 1 && limit <= 2 * before, `a page of ${before} was followed by one of ${limit}`);
  }
  // huge ones come a few at a time, and small ones behind them many again
  assert.ok(Math.min(...limits) <= 30, limits.join());
  assert.ok(limits.length < 30, limits.join());
});

loading('empty values are values', async () => {
  const etcd = new HeldEtcd();
  etcd.change(Object.fromEntries(Array.from({ length: 500 }, (_, i) => [`/r/${i}`, ''])));
  assert.is(entries(await load(followed(etcd), false)).length, 500);
});

loading('keys that no store takes, and values that cannot be read, do not hinder it', async () => {
  const etcd = new HeldEtcd();
  etcd.change({ '/r/a': 'bad', '/r/b': 'good', '/r/': 'the prefix', [`/r/${'k'.repeat(1_501)}`]: 'too long' });
  const codec: ValueCodec = {
    ...plainValues,
    async fromEtcd(key, value) {
      if (value.toString() === 'bad') throw new Error('it is bad');
      return plainValues.fromEtcd(key, value);
    },
  };
  const data = await load(followed(etcd, codec), false);
  assert.equal(entries(data), ['a@2: 0', 'b@2: 4']);
  assert.equal(data.keys.get('a')?.flaw, { damage: 'it is bad' });
});

/** An etcd with three pages, which is compacted while the second one is read. @param often how often */
function compactedWhileRead(often: number): HeldEtcd {
  const etcd = new HeldEtcd();
  for (let i = 0; i < 500; i++) etcd.change({ [`/r/${String(i).padStart(4, '0')}`]: 'x' });
  etcd.compacted = etcd.revision;
  let left = often;
  etcd.beforeRange = ({ revision, limit }) => {
    if (revision === undefined || limit === 1 || left-- <= 0) return;
    etcd.change({ '/r/0000': 'changed', '/r/0499': null });
    etcd.compacted = etcd.revision;
  };
  return etcd;
}

loading('where etcd is compacted meanwhile it begins anew, with what is there then', async () => {
  const etcd = compactedWhileRead(2);
  const data = await load(followed(etcd), false);
  assert.is(data.revision, etcd.revision);
  const found = entries(data);
  assert.is(found.length, 499);
  assert.is(found[0], `0000@${etcd.revision}: 7`);
});

loading('where that never ends it says so', async () => {
  const error = (await rejection(load(followed(compactedWhileRead(Number.POSITIVE_INFINITY)), false))) as EtcdError;
  assert.instance(error, EtcdError);
  assert.ok(error.isCompacted);
});

loading('what else goes wrong is told at once', async () => {
  const etcd = new HeldEtcd();
  etcd.beforeRange = () => {
    throw away();
  };
  for (const withPast of [true, false]) assert.is(((await rejection(load(followed(etcd), withPast))) as Error).message, away().message);
  assert.is(etcd.ranges.length, 2);
});

for (const [what, newest, oldest, expected] of [
  ['etcd was never compacted and is young', 10, 0, 1],
  ['etcd was never compacted and is old', 100_000, 0, 100_000 - PAST + 1],
  ['etcd has just been compacted', 100_000, 100_000, 100_000],
  ['etcd was compacted to the one before', 100_000, 99_999, 99_999],
  ['etcd was compacted within the past that is looked for', 100_000, 99_123, 99_123],
  ['etcd was compacted before it', 100_000, 50_000, 100_000 - PAST + 1],
  ['there is nothing yet', 1, 0, 1],
] as const)
  loading(`the past begins at ${expected} where ${what}`, async () => {
    const etcd = new HeldEtcd();
    [etcd.revision, etcd.compacted] = [newest, oldest];
    assert.is((await load(followed(etcd), true)).revision, expected);
    assert.ok(etcd.ranges.length <= 14, `${etcd.ranges.length} questions`);
  });

loading('where etcd is compacted while its past is looked for it begins anew', async () => {
  const etcd = new HeldEtcd();
  [etcd.revision, etcd.compacted] = [5_000, 1_000];
  let isFirst = true;
  etcd.beforeRange = ({ limit }) => {
    if (limit === 1 || !isFirst) return;
    isFirst = false;
    etcd.compacted = 4_500;
  };
  assert.is((await load(followed(etcd), true)).revision, 4_500);
});

loading('where the past goes faster than it is read it begins with the newest', async () => {
  const etcd = new HeldEtcd();
  for (let i = 0; i < 1_000; i++) etcd.change({ [`/r/${String(i).padStart(4, '0')}`]: 'x' });
  // each page takes as long as it takes etcd to forget one revision more, of the last hundred
  etcd.beforeRange = ({ limit }) => {
    if (limit === 1) return;
    etcd.change({ '/r/0000': 'y' });
    etcd.compacted = etcd.revision - 100;
  };
  const data = await load(followed(etcd), true);
  assert.is(entries(data).length, 1_000);
  assert.ok(etcd.revision - data.revision < 100);
});

loading('pages give a part of the keys, from one on and up to another', async () => {
  const etcd = new HeldEtcd();
  etcd.change({ '/r/a': '1', '/r/b': '2', '/r/c': '3', '/r/d': '4' });
  const found: string[] = [];
  let began: number | undefined;
  const range = { start: '/r/b', end: '/r/d', began: (at: number) => (began = at) };
  for await (const [key, { value }] of pages(followed(etcd), range)) {
    assert.is(began, etcd.revision);
    found.push(`${key}=${value}`);
  }
  assert.equal(found, ['b=2', 'c=3']);
});

/** An etcd with some pages of keys. */
function withPages(): HeldEtcd {
  const etcd = new HeldEtcd();
  etcd.change(Object.fromEntries(Array.from({ length: 3_000 }, (_, i) => [`/r/${String(i).padStart(4, '0')}`, 'x'])));
  return etcd;
}

loading('one page is on its way while the one before it is looked at, and no other one', async () => {
  const etcd = withPages();
  const range = { start: '/r/', end: '/r0' };
  let seen = 0;
  for await (const _ of pages(followed(etcd), range)) {
    seen++;
    const asked = pagesOf(etcd).map(({ limit }) => limit as number);
    const [before, last] = [asked.slice(0, -1), asked.slice(-2, -1)];
    const sum = (limits: readonly number[]) => limits.reduce((all, limit) => all + limit, 0);
    if (sum(asked) >= 3_000) break;
    assert.ok(asked.length > 1 && seen > sum(before) - sum(last) && seen <= sum(before), `${seen} of ${asked}`);
  }
  assert.ok(seen > 1_000);
});

loading('what becomes of the next page nobody hears who goes no further, and who does hears it behind the page before', async () => {
  const etcd = withPages();
  etcd.beforeRange = ({ key }) => {
    if (String(key) !== '/r/') throw away();
  };
  const range = { start: '/r/', end: '/r0' };
  for await (const [key] of pages(followed(etcd), range)) if (key === '0000') break;
  let seen = 0;
  const all = async () => {
    for await (const _ of pages(followed(etcd), range)) seen++;
  };
  assert.is(((await rejection(all())) as Error).message, away().message);
  assert.is(seen, 200);
});

loading('others have their turn while values are read', async () => {
  const etcd = new HeldEtcd();
  etcd.change(Object.fromEntries(Array.from({ length: 20_000 }, (_, i) => [`/r/${i}`, 'x'.repeat(100)])));
  let turns = 0;
  const counting = setInterval(() => turns++, 1);
  const slow: ValueCodec = {
    ...plainValues,
    fromEtcd(key, value) {
      for (const end = performance.now() + 0.005; performance.now() < end; );
      return plainValues.fromEtcd(key, value);
    },
  };
  await load(followed(etcd, slow), false);
  clearInterval(counting);
  assert.ok(turns > 3, `${turns} turns`);
});

// the error of the test's own etcd is one that the store knows
loading('a compacted revision is told as etcd tells it', () => assert.ok(compacted(5).isCompacted));

loading.run();
