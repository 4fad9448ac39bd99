import * as fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { ApiObject } from '../../../runtime/contract/object.ts';
import { parseStoredJson } from '../../../runtime/registry/stored-objects/parse-stored-json.ts';
import { parseSlices, parseSlicesWithout, readInTurns, readSlices } from '../../../runtime/registry/stored-objects/sliced-reading.ts';
import { encodeStoredObject, StoredObject } from '../../../runtime/registry/stored-objects/stored-object.ts';
import { type Omitted, textWithout } from '../../../runtime/schema/json/json-members.ts';
import { parseNativeJson } from '../../../runtime/schema/json/native-json.ts';
import { rawNumber } from '../../../runtime/schema/scalar/raw-number.ts';
import { fillRevision } from '../../../runtime/storage/storage.ts';

const test = suite('reading in slices');

function whole<T>(slices: Generator<void, T, void>): { readonly value: T; readonly pieces: number } {
  for (let pieces = 1; ; pieces++) {
    const { done, value } = slices.next();
    if (done === true) return { value, pieces };
  }
}

test('gives what reading at once gives, however short the pieces are', () => {
  fc.assert(
    fc.property(fc.json({ maxDepth: 4 }), fc.integer({ min: 1, max: 60 }), (text, piece) => {
      // V8 mistakes names of others once it was shown one with a backslash
      const json = Buffer.from(JSON.stringify(parseNativeJson(text)));
      const { value } = whole(parseSlices(json, piece));
      assert.is(JSON.stringify(value), json.toString());
    }),
    { numRuns: 2_000 },
  );
});

const values: readonly (readonly [name: string, json: string])[] = [
  ['texts with quotes, backslashes and brackets', JSON.stringify({ a: ['"', '\\', '\\"', '}{][', ',:'], '\\"': { ']': '\\\\' } })],
  ['a name that objects inherit', '{"__proto__":{"a":1},"constructor":[2]}'],
  ['integers beyond 2^53', '[9007199254740993,{"a":-9223372036854775808}]'],
  ['nothing', '{"a":[],"b":{},"c":[[],{}],"d":""}'],
  ['numbers and words', '[1.5e3,true,false,null,-0.1]'],
];
for (const [name, json] of values)
  for (const piece of [1, 2, 3, 5, 8, 13, 1_000])
    test(`${name}, in pieces of ${piece} bytes`, () => {
      const { value } = whole(parseSlices(Buffer.from(json), piece));
      assert.is(JSON.stringify(value), JSON.stringify(parseStoredJson(Buffer.from(json))));
    });

const OMITTED: Omitted = { a: { b: true, c: {} }, list: { '*': { a: true, b: { c: true } } }, gone: true };

/** What is left of an object, and where those members stand that no list can have around them. */
function readWithout(json: Buffer, piece: number): unknown {
  const told: unknown[] = [];
  const tell = (within: string, member: unknown) => within.startsWith('list.') || told.push([within, member]);
  const { value } = whole(parseSlicesWithout(json, OMITTED, tell, piece));
  return [JSON.stringify(value), told];
}

function readWithoutAtOnce(json: Buffer): unknown {
  const told: unknown[] = [];
  const text = textWithout(json, OMITTED, (within, member) => within.startsWith('list.') || told.push([within, member]));
  return [JSON.stringify(parseStoredJson(Buffer.from(text))), told];
}

test('leaves out what reading at once leaves out, and tells of the same members', () => {
  const name = fc.constantFrom('a', 'b', 'c', 'list', 'gone', '*', 'other');
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof(fc.constantFrom(1, 'x', '}"', null), tie('object'), fc.array(tie('value'), { maxLength: 4 })),
    object: fc.dictionary(name, tie('value'), { maxKeys: 5 }),
  }));
  fc.assert(
    fc.property(fc.dictionary(name, value as fc.Arbitrary<unknown>), fc.integer({ min: 1, max: 60 }), (of, piece) => {
      const json = Buffer.from(JSON.stringify(of));
      assert.equal(readWithout(json, piece), readWithoutAtOnce(json));
    }),
    { numRuns: 2_000 },
  );
});

test('a list of many short elements is left without members in many pieces', () => {
  const json = Buffer.from(JSON.stringify({ list: Array.from({ length: 20_000 }, (_, index) => ({ a: 'x', kept: index })) }));
  const { value, pieces } = whole(parseSlicesWithout(json, OMITTED));
  assert.equal((value as unknown as { list: object[] }).list[19_999], { kept: 19_999 });
  assert.ok(pieces > json.length / 40_000, `${pieces}`);
});

const object = (data: unknown): ApiObject => ({
  kind: 'ConfigMap',
  apiVersion: 'v1',
  metadata: {
    name: 'a',
    namespace: 'n',
    uid: 'u',
    managedFields: [{ manager: 'm', operation: 'Update', apiVersion: 'v1', fieldsV1: {} }],
  } as never,
  data,
  big: rawNumber('9007199254740993'),
  other: { list: [1, 2] },
});

function stored(of: ApiObject): StoredObject {
  const { bytes, revisionOffset } = encodeStoredObject(of, 1, []);
  fillRevision(bytes, revisionOffset, 7);
  return new StoredObject(bytes);
}

test('objects have their metadata without managedFields, and the members that are wanted', async () => {
  const read = await readInTurns(stored(object({ a: 'b' })), ['big', 'other']);
  assert.equal(Object.keys(read), ['kind', 'apiVersion', 'metadata', 'big', 'other']);
  const { managedFields: _, ...metadata } = stored(object({})).parse().metadata;
  assert.equal(read.metadata, metadata);
  assert.is(JSON.stringify([read.big, read.other]), '[9007199254740993,{"list":[1,2]}]');
});

test('nothing is read behind what is wanted', () => {
  const { json } = stored(object({ a: 'x'.repeat(100_000) }));
  const { value, pieces } = whole(readSlices(json, []));
  assert.equal([Object.keys(value), pieces], [['kind', 'apiVersion', 'metadata'], 1]);
});

test('managedFields are not even skipped where nothing is read behind them', () => {
  const fields = Object.fromEntries(Array.from({ length: 20_000 }, (_, index) => [`f:key-${index}`, {}]));
  const managed = { ...object({}), metadata: { name: 'a', managedFields: [{ manager: 'm', fieldsV1: { 'f:data': fields } }] } as never };
  const { json } = stored(managed);
  const { value, pieces } = whole(readSlices(json, []));
  assert.equal([(value.metadata as { name: string }).name, pieces], ['a', 1]);
});

test('no piece is long, of what is wanted and of what is not', () => {
  const data = Object.fromEntries(Array.from({ length: 20_000 }, (_, index) => [`key-${index}`, { list: ['x'.repeat(10)] }]));
  const { json } = stored(object(data));
  for (const members of [['data'], ['other']]) {
    const { value, pieces } = whole(readSlices(json, members));
    assert.ok(pieces > json.length / 40_000, `${pieces} of ${json.length}`);
    assert.is(value.data === undefined, !members.includes('data'));
  }
});

test.run();
