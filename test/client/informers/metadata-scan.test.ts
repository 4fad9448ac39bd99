import { deepStrictEqual } from 'node:assert';
import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { metadataIn } from '../../../runtime/client/informers/metadata-scan.ts';
import { ReceivedObject } from '../../../runtime/client/informers/received-object.ts';
import { parseJson } from '../../../runtime/client/objects/json.ts';

const found = (text: string): unknown => metadataIn(Buffer.from(text));
const four = { name: 'a', namespace: 'n', uid: 'u', resourceVersion: '7' };
const others = {
  labels: { name: 'no', x: '"}\\' },
  managedFields: [{ 'f:metadata': { uid: 'no' } }],
  generation: 3,
  deletionTimestamp: null,
};

const test = suite('metadata in JSON that nobody parses');
const rows: [name: string, text: string, metadata: object | undefined][] = [
  ['of an object', JSON.stringify({ kind: 'K', apiVersion: 'v1', metadata: { ...four, ...others }, spec: { a: [1] } }), four],
  ['behind other members', JSON.stringify({ spec: { metadata: { name: 'no' } }, list: [{}, [1]], n: -1.5e3, metadata: four }), four],
  ['with space', JSON.stringify({ kind: 'K', n: 1, metadata: { ...others, ...four } }, null, 2), four],
  ['without a namespace', JSON.stringify({ metadata: { name: 'é', uid: 'u', ...others } }), { name: 'é', uid: 'u' }],
  ['that is empty', '{"metadata":{}}', {}],
  ['that is none', '{"metadata":null}', undefined],
  ['that is not there', '{"kind":"K"}', undefined],
  ['with an escape in a value', '{"metadata":{"name":"\\u0061"}}', undefined],
  ['with an escape in a name', '{"metadata":{"n\\u0061me":"a"}}', undefined],
  ['behind an escape in a name', '{"k\\u0069nd":"K","metadata":{"name":"a"}}', undefined],
  ['with a value that is no text', '{"metadata":{"name":5}}', undefined],
  ['that ends too early', '{"metadata":{"name":"a","labels":{"a"', undefined],
  ['within a text that ends too early', '{"metadata":{"name":"a', undefined],
  ['of nothing', '', undefined],
  ['of a list', '[{"metadata":{}}]', undefined],
];
for (const [name, text, metadata] of rows) test(name, () => assert.equal(found(text), metadata));
test('is that which a parser finds', () => {
  const texts = fc.oneof(fc.string(), fc.constantFrom('name', 'uid', 'metadata', 'namespace', '\\', '"', '{'));
  const value = fc.oneof(fc.jsonValue(), texts);
  const members = fc.dictionary(texts, value, { noNullPrototype: true });
  const metadata = fc.oneof(
    fc
      .record({ name: texts, namespace: texts, uid: texts, resourceVersion: texts }, { requiredKeys: [] })
      .chain((known) => members.map((more) => ({ ...more, ...known }))),
    value,
  );
  fc.assert(
    fc.property(members, metadata, members, fc.nat(2), (before, given, behind, space) => {
      const text = JSON.stringify({ ...before, metadata: given, ...behind }, null, space);
      const parsed = parseJson<{ metadata?: Partial<Record<keyof typeof four, unknown>> }>(text).metadata ?? {};
      const received = ReceivedObject.ofJson(Buffer.from(text), {}).metadata;
      // the library's own comparison holds two maps for different that have a member `constructor` each
      for (const member of Object.keys(four) as (keyof typeof four)[]) deepStrictEqual(received[member], parsed[member]);
    }),
    { numRuns: 500, examples: [[{}, { name: { constructor: {} } }, {}, 0]] },
  );
});
test.run();
