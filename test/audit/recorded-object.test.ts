import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { answerJson, type Kinds } from '../../runtime/audit/recorded-object.ts';
import { encodeCborDocument } from '../../runtime/schema/cbor/encode.ts';

const test = suite('the answer that an event has');
const noKinds = {} as Kinds;
const metadata = { name: 'a', managedFields: [{ manager: 'kubectl' }] };

async function withoutManagedFields(answer: object): Promise<object> {
  const form = { contentType: 'application/json', isZipped: false, omitManagedFields: true };
  const json = await answerJson(Buffer.from(JSON.stringify(answer)), form, { encodingOf: () => 'json' }, noKinds);
  return JSON.parse(String(json));
}

test('has no managed fields where they are omitted', async () => {
  assert.equal(await withoutManagedFields({ kind: 'Pod', metadata }), { kind: 'Pod', metadata: { name: 'a' } });
});

test('has none in the items of a list either', async () => {
  const list = { kind: 'PodList', items: [{ metadata }, {}] };
  assert.equal(await withoutManagedFields(list), { kind: 'PodList', items: [{ metadata: { name: 'a' } }, {}] });
});

test('has none in the rows of a table either', async () => {
  const table = {
    kind: 'Table',
    rows: [
      { cells: ['a'], object: { kind: 'PartialObjectMetadata', metadata } },
      { cells: ['b'], object: null },
    ],
  };
  assert.equal(await withoutManagedFields(table), {
    kind: 'Table',
    rows: [
      { cells: ['a'], object: { kind: 'PartialObjectMetadata', metadata: { name: 'a' } } },
      { cells: ['b'], object: null },
    ],
  });
});

test('is JSON where it was CBOR', async () => {
  const form = { contentType: 'application/cbor', isZipped: false, omitManagedFields: false };
  const json = await answerJson(encodeCborDocument({ kind: 'Pod', metadata }), form, { encodingOf: () => 'cbor' }, noKinds);
  assert.equal(JSON.parse(String(json)), { kind: 'Pod', metadata });
});

test('is JSON where it was CBOR, however deep', async () => {
  const form = { contentType: 'application/cbor', isZipped: false, omitManagedFields: false };
  let deep: unknown = 2.5;
  for (let i = 0; i < 100; i++) deep = [deep];
  const json = await answerJson(encodeCborDocument({ kind: 'Widget', deep }), form, { encodingOf: () => 'cbor' }, noKinds);
  assert.equal(JSON.parse(String(json)), { kind: 'Widget', deep });
});

test('is JSON where it was YAML', async () => {
  const form = { contentType: 'application/yaml', isZipped: false, omitManagedFields: false };
  const json = await answerJson(Buffer.from('kind: Pod\nmetadata: {name: a}\n'), form, { encodingOf: () => 'yaml' }, noKinds);
  assert.equal(JSON.parse(String(json)), { kind: 'Pod', metadata: { name: 'a' } });
});

test('is none where nothing was answered', async () => {
  const form = { contentType: 'application/json', isZipped: false, omitManagedFields: false };
  assert.is(await answerJson(Buffer.alloc(0), form, { encodingOf: () => 'json' }, noKinds), undefined);
});

test.run();
