/** A list in the place of a text of a format comes through validation in 1.32, but nobody owns anything of an object with one. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type EmbeddedServer, startServer } from '../../runtime/embedded/start-server.ts';
import type { Json } from '../harness/client.ts';
import { eventually } from '../harness/eventually.ts';

const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const PARTS = '/apis/shop.example/v1/namespaces/default/parts';
const FORMATTED = { type: 'string', format: 'uuid' };
const SPEC = {
  type: 'object',
  properties: { id: FORMATTED, ids: { type: 'object', additionalProperties: FORMATTED }, size: { 'x-kubernetes-int-or-string': true } },
};

const test = suite('values of custom resources that do not fit their type');
let server: EmbeddedServer;

test.before(async () => {
  server = await startServer({ dialect: 'kubernetes' });
  await server.client.request('POST', DEFINITIONS, {
    metadata: { name: 'parts.shop.example' },
    spec: {
      group: 'shop.example',
      scope: 'Namespaced',
      names: { plural: 'parts', kind: 'Part' },
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object', properties: { spec: SPEC } } } }],
    },
  });
  await eventually('the resource is served', async () => (await server.client.fetch(PARTS)).status === 200);
});
test.after(() => server.stop());

const part = (name: string, spec: object): object => ({ apiVersion: 'shop.example/v1', kind: 'Part', metadata: { name }, spec });

async function send(method: string, path: string, body: object, type = 'application/json'): Promise<Json> {
  const answer = await server.client.fetch(path, { method, body: JSON.stringify(body), headers: { 'content-type': type } });
  assert.ok(answer.ok, String(answer.status));
  return answer.json();
}

const ID = '123e4567-e89b-12d3-a456-426614174000';

for (const [name, spec] of [
  ['list', { id: [{}] }],
  ['empty-list', { id: [] }],
  ['entry', { ids: { a: [] } }],
] as const)
  test(`an object that is made with such a value: ${name}`, async () => {
    const made = await send('POST', PARTS, part(name, spec));
    assert.equal(made.spec, spec);
    assert.is(made.metadata.managedFields, undefined);
  });

test('an object that gets such a value', async () => {
  const made = await send('POST', PARTS, part('changed', { id: ID, size: 1 }));
  assert.is(made.metadata.managedFields.length, 1);
  assert.equal(made.metadata.managedFields[0].fieldsV1, { 'f:spec': { '.': {}, 'f:id': {}, 'f:size': {} } });
  const changed = await send('PATCH', `${PARTS}/changed`, { spec: { id: [ID] } }, 'application/merge-patch+json');
  assert.equal(changed.spec, { id: [ID], size: 1 });
  assert.is(changed.metadata.managedFields, undefined);
});

test('scalars of any type have owners', async () => {
  await send('POST', PARTS, part('owned', { id: ID, ids: { a: ID }, size: 'one' }));
  const { metadata } = await send('PATCH', `${PARTS}/owned`, { spec: { size: 2 } }, 'application/merge-patch+json');
  assert.equal(metadata.managedFields[0].fieldsV1, { 'f:spec': { '.': {}, 'f:id': {}, 'f:ids': { '.': {}, 'f:a': {} }, 'f:size': {} } });
});

test('integers beyond 2^53 are scalars', async () => {
  const body = JSON.stringify(part('large', { size: 1 })).replace('"size":1', '"size":9007199254740993');
  const answer = await server.client.fetch(PARTS, { method: 'POST', body, headers: { 'content-type': 'application/json' } });
  assert.is(answer.status, 201);
  const text = await answer.text();
  assert.match(text, '"size":9007199254740993');
  assert.match(text, '"f:size":{}');
});

test.run();
