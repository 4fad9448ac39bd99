import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { RecentRecords } from '../../../runtime/storage/lmdb/recent/recent-records.ts';
import { lmdbStore } from './lmdb-store.ts';

const test = suite('recent records');

/** Takes memory for a record and fills it. */
function write(records: RecentRecords, revision: number, length = 10): void {
  records.take(revision, length).fill(revision % 251);
}

/** Whether a record is what was written. */
function holds(record: Buffer | undefined, revision: number, length = 10): boolean {
  return record?.length === length && record.every((byte) => byte === revision % 251);
}

test('a record is there once its transaction is on the disk', () => {
  const records = new RecentRecords();
  write(records, 5);
  write(records, 6);
  assert.is(records.get(5), undefined);
  records.confirm(5);
  assert.ok(holds(records.get(5), 5));
  assert.is(records.get(6), undefined);
  records.confirm(6);
  assert.ok(holds(records.get(6), 6));
  for (const other of [0, 4, 7]) assert.is(records.get(other), undefined, `${other}`);
});

test('the records of a transaction that failed are forgotten', () => {
  const records = new RecentRecords();
  write(records, 1);
  records.confirm(1);
  write(records, 2);
  records.forget();
  // another process wrote it, and a transaction of this one that wrote none was confirmed
  records.confirm(2);
  assert.is(records.get(2), undefined);
  write(records, 3);
  records.confirm(3);
  assert.ok(holds(records.get(3), 3));
});

test('after a revision of another process those before it are forgotten', () => {
  const records = new RecentRecords();
  write(records, 1);
  write(records, 3);
  records.confirm(3);
  assert.equal([records.get(1), records.get(2)], [undefined, undefined]);
  assert.ok(holds(records.get(3), 3));
});

test('a long record is there until there is another one, and what came before it is not', () => {
  const records = new RecentRecords();
  write(records, 1);
  write(records, 2, 3_000_000);
  write(records, 3);
  records.confirm(3);
  assert.is(records.get(1), undefined);
  assert.ok(holds(records.get(2), 2, 3_000_000));
  assert.ok(holds(records.get(3), 3));
  write(records, 4, 2_500_000);
  records.confirm(4);
  assert.equal([records.get(2), records.get(3)], [undefined, undefined]);
  assert.ok(holds(records.get(4), 4, 2_500_000));
});

test('a long record of a transaction that failed is forgotten', () => {
  const records = new RecentRecords();
  write(records, 1, 3_000_000);
  records.forget();
  // another process wrote it
  records.confirm(1);
  assert.is(records.get(1), undefined);
});

test('what is there is right, and of the last 2 MB all is there', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 800_000 }), { minLength: 1, maxLength: 40 }), (lengths) => {
      const records = new RecentRecords();
      lengths.forEach((length, i) => {
        write(records, i + 1, length);
        records.confirm(i + 1);
        let bytes = 0;
        for (let j = i; j >= 0; j--) {
          const record = records.get(j + 1);
          bytes += lengths[j] as number;
          if (record !== undefined || bytes <= 2_000_000) assert.ok(holds(record, j + 1, lengths[j]), `${j} of ${i}`);
        }
      });
    }),
    { numRuns: 30 },
  );
});

test('changes are the same from memory as from the file, whoever wrote them', async () => {
  const store = await lmdbStore();
  const { storage } = store;
  const value = (text: string) => ({ bytes: Buffer.from(text), revisionOffset: -1 });
  const read = (from: typeof storage, after: number, prefix: string) =>
    Array.from(from.changes(after, prefix), ({ operation, key, revision, value: now, previousValue }) => [
      operation,
      key,
      revision,
      String(now),
      previousValue && String(previousValue),
    ]);
  try {
    const first = await storage.create('a/1', value('one'));
    await Promise.all([storage.create('b/1', value('x'.repeat(300_000))), storage.update('a/1', first, value('two'))]);
    await storage.create('c/1', value('y'.repeat(400_000)));
    await storage.delete('a/1', storage.revisionOf('a/1') as number, value('gone'));
    const written = ['', 'a/', 'a/1', 'b/', 'none/'].map((prefix) => [read(storage, 0, prefix), read(storage, 2, prefix)]);
    const reopened = await store.reopen();
    assert.equal(
      ['', 'a/', 'a/1', 'b/', 'none/'].map((prefix) => [read(reopened, 0, prefix), read(reopened, 2, prefix)]),
      written,
    );
    assert.is(read(reopened, 0, '').length, 5);
  } finally {
    await store.remove();
  }
});

test.run();
