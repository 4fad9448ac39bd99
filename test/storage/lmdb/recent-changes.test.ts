import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { encodeRecord, recordLength } from '../../../runtime/storage/lmdb/codecs/codecs.ts';
import { RecentChanges } from '../../../runtime/storage/lmdb/recent/recent-changes.ts';
import { RecentRecords } from '../../../runtime/storage/lmdb/recent/recent-records.ts';
import { OWN_VALUE } from '../../../runtime/storage/storage.ts';

const test = suite('recent changes');

class Store {
  readonly records = new RecentRecords();
  /** revisions that were read from elsewhere */
  readonly read: number[] = [];
  readonly changes = new RecentChanges({
    records: this.records,
    stored: (_key, revision) => {
      this.read.push(revision);
      return Buffer.alloc(this.storedLength, revision % 251);
    },
  });
  storedLength = 100;

  writes(revision: number, { previous = 0, length = 100 }: { previous?: number; length?: number } = {}): void {
    const key = `pods/a/${revision}`;
    const value = Buffer.alloc(length, revision % 251);
    const operation = previous === 0 ? 'create' : 'update';
    encodeRecord(this.records.take(revision, recordLength(key.length, value)), revision, { operation, key, previous, value }, key.length);
    this.records.confirm(revision);
  }
}

test('a change is made once, with its value', () => {
  const store = new Store();
  store.writes(5);
  const change = store.changes.of(5);
  assert.equal([change?.operation, change?.key, change?.revision, change?.value.length], ['create', 'pods/a/5', 5, 100]);
  assert.is(change?.previousValue, undefined);
  store.writes(6);
  assert.is(store.changes.of(5), change);
  assert.is(store.changes.of(5)?.value, change?.value);
});

test('what is not on the disk, or not in memory, is not there', () => {
  const store = new Store();
  store.writes(5);
  store.records.take(6, 40);
  for (const revision of [4, 6, 7, 5 + 128]) assert.is(store.changes.of(revision), undefined, `${revision}`);
  assert.not(store.changes.haveAll(3, 5));
  assert.ok(store.changes.haveAll(4, 5));
  assert.not(store.changes.haveAll(4, 6));
});

test('no more than 128 are told to be there', () => {
  const store = new Store();
  for (let revision = 1; revision <= 600; revision++) store.writes(revision);
  assert.ok(store.changes.haveAll(472, 600));
  assert.not(store.changes.haveAll(471, 600));
});

test('a place is given to later changes, and its earlier ones are made anew', () => {
  const store = new Store();
  for (let revision = 1; revision <= 600; revision++) store.writes(revision);
  const first = store.changes.of(1);
  assert.is(store.changes.of(129)?.revision, 129);
  assert.is.not(store.changes.of(1), first);
  assert.is(store.changes.of(1)?.key, 'pods/a/1');
});

test('changes go with the memory of their records', () => {
  const store = new Store();
  for (let revision = 1; revision <= 100; revision++) {
    store.writes(revision, { length: 100_000 });
    for (let each = Math.max(1, revision - 50); each <= revision; each++)
      for (const change of [store.changes.of(each)])
        if (change !== undefined)
          assert.ok(change.value.length === 100_000 && change.value[0] === each % 251 && change.value.at(-1) === each % 251, `${each}`);
  }
  assert.is(store.changes.of(1), undefined);
  assert.ok(store.changes.of(100) !== undefined);
  store.records.forget();
  assert.is(store.changes.of(100), undefined);
});

test('a revision that comes again after a transaction has failed is another change', () => {
  const store = new Store();
  store.writes(1);
  const before = store.changes.of(1);
  store.records.forget();
  store.writes(1, { length: 7 });
  assert.is.not(store.changes.of(1), before);
  assert.is(store.changes.of(1)?.value.length, 7);
});

test('a long value has memory of its own', () => {
  const store = new Store();
  store.writes(1, { length: OWN_VALUE + 1 });
  store.writes(2, { length: OWN_VALUE });
  const [long, short] = [store.changes.of(1)?.value, store.changes.of(2)?.value];
  assert.is(long?.buffer.byteLength, OWN_VALUE + 1);
  assert.is(store.changes.of(1)?.value, long);
  assert.ok((short?.buffer.byteLength ?? 0) > OWN_VALUE);
});

test('what a change has replaced is taken from memory, or read once', () => {
  const store = new Store();
  store.writes(7);
  store.writes(8, { previous: 7 });
  store.writes(9, { previous: 3 });
  assert.ok(store.changes.of(8)?.previousValue?.every((byte) => byte === 7));
  assert.equal(store.read, []);
  for (let i = 0; i < 3; i++) assert.ok(store.changes.of(9)?.previousValue?.every((byte) => byte === 3));
  assert.equal(store.read, [3]);
});

test('what was replaced and is long is read each time', () => {
  const store = new Store();
  store.storedLength = 8_193;
  store.writes(9, { previous: 3 });
  for (let i = 0; i < 2; i++) assert.is(store.changes.of(9)?.previousValue?.length, 8_193);
  assert.equal(store.read, [3, 3]);
});

test.run();
