/** Owners of versions whose schemas differ, which strategy `None` does not make up for: what one version does not allow cannot be compared by it. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type EmbeddedServer, startServer } from '../../runtime/embedded/start-server.ts';
import type { Json } from '../harness/client.ts';

const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const text = { type: 'string' };
const map = { type: 'object', additionalProperties: text };
const version = (name: string, properties: object) => ({
  name,
  served: true,
  storage: name === 'v1',
  schema: { openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object', properties } } } },
});
const definition = {
  metadata: { name: 'parts.shop.example' },
  spec: {
    group: 'shop.example',
    scope: 'Cluster',
    names: { plural: 'parts', kind: 'Part' },
    versions: [
      version('v1', { a: text, b: text, map, size: text }),
      version('v2', { b: text, map, size: { type: 'integer' } }),
      version('v3', { a: text, b: text, map, size: text }),
    ],
  },
};

const test = suite('custom resources whose versions differ');
let server: EmbeddedServer;
test.before(async () => {
  server = await startServer({ dialect: 'kubernetes' });
  await server.client.request('POST', DEFINITIONS, definition);
  for (let tries = 0; (await server.client.fetch(pathOf('v3', ''))).status !== 200; tries++) {
    if (tries > 200) throw new Error('the resource is not served');
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
});
test.after(() => server.stop());

const pathOf = (version: string, rest: string): string => `/apis/shop.example/${version}/parts${rest}`;

async function patched(of: string, name: string, manager: string, body: object, type: string): Promise<Json> {
  const headers = { 'content-type': type };
  const path = pathOf(of, `/${name}?fieldManager=${manager}${type === APPLY ? '&force=true' : ''}`);
  return (await server.client.fetch(path, { method: 'PATCH', body: JSON.stringify(body), headers })).json();
}
const APPLY = 'application/apply-patch+yaml';
const MERGE = 'application/merge-patch+json';
const apply = (of: string, name: string, manager: string, spec: object) =>
  patched(of, name, manager, { apiVersion: `shop.example/${of}`, kind: 'Part', metadata: { name }, spec }, APPLY);

test('no apply sets what the version of another owner does not have', async () => {
  await apply('v2', 'unknown', 'a', { b: '2' });
  const refused = await apply('v1', 'unknown', 'b', { a: '1', b: '2' });
  assert.is(refused.message, 'failed to convert new object: .spec.a: field not declared in schema');
  assert.equal((await apply('v3', 'unknown', 'b', { b: '2' })).spec, { b: '2' });
});

test('nobody owns anything once an update has set it', async () => {
  await apply('v2', 'lost', 'a', { b: '2' });
  const { metadata, spec } = await patched('v1', 'lost', 'b', { spec: { a: '1' } }, MERGE);
  assert.equal([metadata.managedFields, spec], [undefined, { a: '1', b: '2' }]);
});

test('a live object that the version of the path does not allow takes no apply', async () => {
  await apply('v1', 'unfit', 'a', { size: 'x' });
  const refused = await apply('v2', 'unfit', 'b', { b: '2' });
  assert.is(
    refused.message,
    'failed to create typed live object (/unfit; shop.example/v2, Kind=Part): .spec.size: expected numeric (int or float), got string',
  );
});

for (const [name, first, second, third] of [
  ['of the same version', 'v1', 'v1', 'v1'],
  ['of the same version beside another owner', 'v1', 'v1', 'v3'],
  ['of another version', 'v1', 'v3', 'v1'],
] as const)
  test(`a map that an owner ${name} empties is null, as the schema does not allow`, async () => {
    const object = `emptied-${first}-${second}-${third}`;
    await apply(first, object, 'a', { map: { x: '1' } });
    await apply(third, object, 'b', { b: '2' });
    const refused = await apply(second, object, 'a', { map: {} });
    assert.match(refused.message, /spec\.map: Invalid value: "null": spec\.map in body must be of type object: "null"$/);
  });

test('the metadata that an owner of another version empties may go for the comparison', async () => {
  await patched(
    'v1',
    'bare',
    'a',
    { apiVersion: 'shop.example/v1', kind: 'Part', metadata: { name: 'bare', labels: { a: 'b' } }, spec: { b: '1' } },
    APPLY,
  );
  await apply('v3', 'bare', 'b', { b: '1' });
  const { metadata, spec } = await apply('v3', 'bare', 'a', { b: '1' });
  assert.equal([metadata.labels, spec], [undefined, { b: '1' }]);
});

test.run();
