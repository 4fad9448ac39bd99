import { deepStrictEqual } from 'node:assert';
import * as fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ObjectMeta } from '../../../generated/meta/v1/descriptors.ts';
import { string, struct } from '../../../runtime/contract/descriptor.ts';
import type { ApiObject } from '../../../runtime/contract/object.ts';
import { encodeStoredObject, metadataOrder, StoredObject, sharesRest } from '../../../runtime/registry/stored-objects/stored-object.ts';
import { rawNumber } from '../../../runtime/schema/scalar/raw-number.ts';
import { fillRevision } from '../../../runtime/storage/storage.ts';

const test = suite('stored object');

const object = (labels: Record<string, string> | undefined, data: unknown): ApiObject => ({
  kind: 'ConfigMap',
  apiVersion: 'v1',
  metadata: { name: 'a', namespace: 'n', uid: 'u', creationTimestamp: '2026-01-01T00:00:00Z', ...(labels === undefined ? {} : { labels }) },
  data,
});

test('the JSON, the list item, labels and fields come back', () => {
  fc.assert(
    fc.property(
      fc.dictionary(fc.string(), fc.string()),
      fc.array(fc.string()),
      fc.jsonValue(),
      fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }),
      (labels, fields, data, revision) => {
        const original = object(labels, data);
        const { bytes, revisionOffset } = encodeStoredObject(original, 0x89abcdef, fields);
        fillRevision(bytes, revisionOffset, revision);
        const stored = new StoredObject(bytes);
        const want = JSON.parse(JSON.stringify({ ...original, metadata: { ...original.metadata, resourceVersion: String(revision) } }));
        // the library's own comparison holds two maps for different that have a member `constructor` each
        deepStrictEqual(JSON.parse(stored.json.toString()), want);
        const { kind: _kind, apiVersion: _apiVersion, ...item } = want;
        deepStrictEqual(JSON.parse(`{${stored.item}`), item);
        deepStrictEqual(JSON.parse(stored.metadata.toString()), want.metadata);
        for (const key of [...Object.keys(labels), ...Object.keys(labels).map((known) => `${known}x`), 'constructor', '']) {
          // keys of labels are ASCII
          if (/^[\0-\x7f]*$/.test(key)) assert.is(stored.label(key), Object.hasOwn(labels, key) ? labels[key] : undefined);
        }
        assert.equal(Object.entries(stored.labels).sort(), Object.entries(labels).sort());
        for (const key of Object.keys(labels)) assert.is(stored.label(key), labels[key]);
        assert.equal(stored.fields, fields);
        assert.is(stored.schemaHash, 0x89abcdef);
      },
    ),
    { examples: [[{ constructor: 'a' }, [], [{ constructor: {} }], 1]] },
  );
});

test('labels of any number, and fields of any length, come back', () => {
  const labels = Object.fromEntries(Array.from({ length: 70_000 }, (_, index) => [`key-${index}`, `${index}`]));
  const fields = ['a', 'x'.repeat(65_534), 'y'.repeat(65_535), 'ä'.repeat(100_000), 'b', ''];
  const stored = new StoredObject(encodeStoredObject(object(labels, {}), 1, fields).bytes);
  assert.is(stored.labelCount, 70_000);
  assert.is(stored.label('key-69999'), '69999');
  for (const [index, field] of fields.entries()) assert.is(stored.field(index), field);
  assert.equal(stored.fields, fields);
  assert.equal(new StoredObject(stored.bytes).labels, labels);
  assert.is(stored.deleting, false);
  assert.is(stored.unowned, true);
});

test('a name that looks like the mark does not mislead the gap', () => {
  const tricky = object({}, {});
  tricky.metadata.generateName = '"resourceVersion":"';
  const { bytes, revisionOffset } = encodeStoredObject(tricky, 1, []);
  fillRevision(bytes, revisionOffset, 7);
  const parsed = JSON.parse(new StoredObject(bytes).json.toString());
  assert.is(parsed.metadata.resourceVersion, '7');
  assert.is(parsed.metadata.generateName, '"resourceVersion":"');
});

test('integers beyond 2^53 keep their digits', () => {
  const big = object({}, { n: rawNumber('9223372036854775807'), text: '9223372036854775807', real: 1.5 });
  const { bytes, revisionOffset } = encodeStoredObject(big, 1, []);
  fillRevision(bytes, revisionOffset, 1);
  const stored = new StoredObject(bytes);
  assert.ok(JSON.stringify(stored.parse()).includes('"n":9223372036854775807,"text":"9223372036854775807","real":1.5'));
});

test('integers keep their digits wherever they stand, however many they have', () => {
  for (let digits = 15; digits <= 20; digits++)
    for (let before = 0; before < 17; before++) {
      const number = `9${'0'.repeat(digits - 2)}1`;
      const { bytes } = encodeStoredObject(object({}, { text: 'x'.repeat(before), n: rawNumber(number) }), 1, []);
      assert.ok(JSON.stringify(new StoredObject(bytes).parse()).includes(`"n":${number}}`), `${digits} digits behind ${before}`);
    }
});

test('what is behind the metadata may be taken from the bytes of another object', () => {
  const one = object({ a: 'b' }, { key: 'ä', list: [1] });
  const stored = new StoredObject(encodeStoredObject(one, 1, []).bytes);
  const other = { ...one, metadata: { ...one.metadata, labels: { c: 'd', e: 'f' } } };
  assert.ok(sharesRest(other, one));
  assert.ok(encodeStoredObject(other, 1, [], undefined, stored.rest).bytes.equals(encodeStoredObject(other, 1, []).bytes));
});

const rests: readonly [name: string, other: object, shares: boolean][] = [
  ['the same', {}, true],
  ['another kind', { kind: 'Other' }, true],
  ['equal data', { data: { key: 'a' } }, false],
  ['no data', { data: undefined }, false],
  ['more', { more: 1 }, false],
  ['more that is undefined', { more: undefined }, true],
];
for (const [name, other, shares] of rests)
  test(`objects share what is behind their metadata: ${name}`, () => {
    const one = object({}, { key: 'a' });
    assert.is(sharesRest({ ...one, ...other }, one), shares);
    assert.is(sharesRest(one, { ...one, ...other }), shares);
  });

test('one field is read as all are', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.string(), { maxKeys: 3 }), fc.array(fc.string(), { maxLength: 4 }), (labels, fields) => {
      const { bytes } = encodeStoredObject(object(labels, {}), 1, fields);
      for (let i = 0; i <= fields.length; i++) assert.is(new StoredObject(bytes).field(i), new StoredObject(bytes).fields[i]);
      const read = new StoredObject(bytes);
      assert.equal([read.fields, read.field(0)], [fields, fields[0]]);
    }),
  );
});

test('says whether deletion has begun', () => {
  const plain = encodeStoredObject(object({}, {}), 1, []);
  assert.not.ok(new StoredObject(plain.bytes).deleting);
  const going = object({}, {});
  going.metadata.deletionTimestamp = '2026-01-01T00:00:00Z';
  assert.ok(new StoredObject(encodeStoredObject(going, 1, []).bytes).deleting);
});

test('says whether there are no owners', () => {
  const owner = { apiVersion: 'v1', kind: 'ConfigMap', name: 'o', uid: 'u' };
  for (const [ownerReferences, unowned] of [
    [undefined, true],
    [[], true],
    [[owner], false],
  ] as const) {
    const owned = object({}, {});
    if (ownerReferences !== undefined) owned.metadata.ownerReferences = [...ownerReferences];
    const stored = new StoredObject(encodeStoredObject(owned, 1, []).bytes);
    assert.is(stored.unowned, unowned);
    assert.not.ok(stored.deleting);
  }
});

/** A kind whose metadata has a member between those of the schema. */
const zoned = struct('Zoned', () => [
  { name: 'metadata', type: struct('ZonedMeta', () => ObjectMeta.fields.toSpliced(7, 0, { name: 'zone', type: string })) },
]);
const orders: [name: string, metadata: object, members: string[]][] = [
  [
    'in the order of the schema, whatever the order of the object',
    { finalizers: ['f'], uid: 'u', zone: 'z', labels: { resourceVersion: 'l' }, generation: 2, name: 'a' },
    ['name', 'uid', 'resourceVersion', 'generation', 'zone', 'labels', 'finalizers'],
  ],
  ['without what is undefined', { name: 'a', zone: undefined }, ['name', 'resourceVersion']],
  ['with managedFields behind all others', { managedFields: [{ manager: 'm' }], zone: 'z' }, ['resourceVersion', 'zone', 'managedFields']],
  ['with what the schema lacks', { other: 1, uid: 'u' }, ['uid', 'resourceVersion', 'other']],
  ['without selfLink', { selfLink: '/api', name: 'a' }, ['name', 'resourceVersion']],
];
for (const [name, metadata, members] of orders)
  test(`the metadata is stored ${name}`, () => {
    const { bytes, revisionOffset } = encodeStoredObject({ kind: 'Zoned', apiVersion: 'v1', metadata }, 1, [], metadataOrder(zoned));
    fillRevision(bytes, revisionOffset, 3);
    const stored = new StoredObject(bytes).parse().metadata as Record<string, unknown>;
    assert.equal(Object.keys(stored), members);
    for (const member of members) assert.equal(stored[member], member === 'resourceVersion' ? '3' : metadata[member as keyof object]);
  });

test('a map with any keys does not mislead the gap where no order is given', () => {
  const labelled = object({ resourceVersion: 'l' }, {});
  const { bytes, revisionOffset } = encodeStoredObject(labelled, 1, []);
  fillRevision(bytes, revisionOffset, 3);
  const { labels, resourceVersion } = new StoredObject(bytes).parse().metadata;
  assert.equal([labels, resourceVersion], [{ resourceVersion: 'l' }, '3']);
});

test.run();
