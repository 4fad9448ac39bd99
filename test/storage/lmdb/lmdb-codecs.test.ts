import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  encodeRecord,
  indexedChangeValue,
  isRecordOf,
  isRecordWhole,
  type KeyCodec,
  type LogRecord,
  latestValue,
  recordKey,
  recordLength,
  recordOperation,
  recordPrevious,
  recordValueOffset,
  revisionKey,
  stateValue,
  supersededValue,
  textKey,
  textRevisionKey,
} from '../../../runtime/storage/lmdb/codecs/codecs.ts';
import { fillRevision, REVISION_GAP } from '../../../runtime/storage/storage.ts';

const test = suite('lmdb codecs');

const revision = fc.maxSafeNat();
const size = fc.nat({ max: 2 ** 32 - 1 });
const key = fc.string({ unit: 'binary', minLength: 1, maxLength: 400 }).filter((text) => !text.includes('\0'));
const operation = fc.constantFrom('create' as const, 'update' as const, 'delete' as const);

function written<Key>(codec: KeyCodec<Key>, value: Key): Buffer {
  const target = Buffer.alloc(2_048, 0xff);
  return target.subarray(3, codec.writeKey(value, target, 3));
}
const readBack = <Key>(codec: KeyCodec<Key>, bytes: Buffer): Key =>
  codec.readKey(Buffer.concat([Buffer.from('xx'), bytes]), 2, 2 + bytes.length);

test('keys come back as they were', () => {
  fc.assert(
    fc.property(key, revision, (text, number) => {
      assert.is(readBack(textKey, written(textKey, text)), text);
      assert.is(readBack(revisionKey, written(revisionKey, number)), number);
      const both = { text, revision: number };
      assert.equal(readBack(textRevisionKey, written(textRevisionKey, both)), both);
    }),
  );
});

test('revisions are in order as bytes; a text comes with all its revisions before the next text', () => {
  fc.assert(
    fc.property(key, key, revision, revision, (a, b, x, y) => {
      assert.is(Buffer.compare(written(revisionKey, x), written(revisionKey, y)), Math.sign(x - y));
      const byText = Buffer.compare(Buffer.from(a), Buffer.from(b));
      const order = Buffer.compare(written(textRevisionKey, { text: a, revision: x }), written(textRevisionKey, { text: b, revision: y }));
      assert.is(order, byText === 0 ? Math.sign(x - y) : byText);
    }),
  );
});

test('values come back as they were', () => {
  fc.assert(
    fc.property(key, revision, size, operation, fc.boolean(), (text, number, bytes, what, tombstone) => {
      const state = { revision: number, compacted: bytes, liveBytes: number, historyBytes: number, posted: bytes };
      assert.equal(stateValue.decode(stateValue.encode(state)), state);
      const latest = { revision: number, size: bytes };
      assert.equal(latestValue.decode(latestValue.encode(latest)), latest);
      const superseded = { tombstone, size: bytes };
      assert.equal(supersededValue.decode(supersededValue.encode(superseded)), superseded);
      const indexed = { operation: what, key: text, previous: number };
      assert.equal(indexedChangeValue.decode(indexedChangeValue.encode(indexed)), indexed);
    }),
  );
});

function recordOf(at: number, content: LogRecord): Buffer {
  const length = Buffer.byteLength(content.key);
  const record = Buffer.alloc(recordLength(length, content.value));
  encodeRecord(record, at, content, length);
  return record;
}

test('a record is whole as it was written, at its revision, and no other way', () => {
  fc.assert(
    fc.property(operation, key, revision, fc.uint8Array({ maxLength: 300 }), fc.nat(), fc.nat(7), (what, text, at, value, place, bit) => {
      const record = recordOf(at, { operation: what, key: text, previous: 0, value: Buffer.from(value) });
      assert.ok(isRecordWhole(record, at));
      assert.not.ok(isRecordWhole(record, at + 1));
      assert.ok(isRecordOf(record, text));
      assert.not.ok(isRecordOf(record, `${text}x`));
      assert.not.ok(isRecordOf(record, `${text.startsWith('x') ? 'y' : 'x'}${text.slice(1)}`));
      assert.not.ok(isRecordWhole(record.subarray(0, place % record.length), at));
      const damaged = Buffer.from(record);
      damaged[place % record.length] = (damaged[place % record.length] as number) ^ (1 << bit);
      assert.not.ok(isRecordWhole(damaged, at));
    }),
  );
});

test('a record that repeats another one has the checksum that it would have without that', () => {
  const texts = fc.uint8Array({ minLength: REVISION_GAP, maxLength: 20_000, size: 'max' });
  fc.assert(
    fc.property(operation, operation, key, revision, revision, texts, fc.nat(), (what, next, text, at, later, value, place) => {
      const revisionOffset = (place % (value.length - REVISION_GAP + 2)) - 1;
      const length = Buffer.byteLength(text);
      const record = recordOf(at, { operation: what, key: text, previous: later, value: Buffer.from(value) });
      const again = Buffer.from(value);
      if (revisionOffset >= 0) fillRevision(again, revisionOffset, later);
      const content = { operation: next, key: text, previous: at, value: again };
      const repetition = Buffer.alloc(record.length);
      encodeRecord(repetition, later, content, length, { record, revision: at, revisionOffset });
      assert.ok(repetition.equals(recordOf(later, content)));
    }),
  );
});

test('a record holds its parts', () => {
  fc.assert(
    fc.property(operation, key, revision, fc.uint8Array({ maxLength: 100_000, size: 'max' }), (what, text, previous, value) => {
      const record = recordOf(previous, { operation: what, key: text, previous, value: Buffer.from(value) });
      assert.is(recordOperation(record), what);
      assert.is(recordKey(record), text);
      assert.is(recordPrevious(record), previous);
      assert.ok(record.subarray(recordValueOffset(record)).equals(value));
    }),
    { numRuns: 30 },
  );
});

test.run();
