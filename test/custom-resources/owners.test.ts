/** Who owns fields of custom resources after writes through their parts and through several versions, and what such writes are held against. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type EmbeddedServer, startServer } from '../../runtime/embedded/start-server.ts';
import type { Json } from '../harness/client.ts';
import { eventually } from '../harness/eventually.ts';

const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const MERGE = 'application/merge-patch+json';
const JSON_TYPE = 'application/json';

const part = {
  type: 'object',
  properties: { replicas: { type: 'integer' }, phase: { type: 'string' }, list: { type: 'array', items: { type: 'integer', maximum: 5 } } },
};
const schema = { openAPIV3Schema: { type: 'object', properties: { spec: part, status: part } } };
const scale = { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' };
const version = (name: string) => ({ name, served: true, storage: name === 'v1', schema, subresources: { status: {}, scale } });
const definition = (versions: readonly object[]) => ({
  metadata: { name: 'parts.shop.example' },
  spec: { group: 'shop.example', scope: 'Namespaced', names: { plural: 'parts', kind: 'Part' }, versions },
});

const test = suite('owners of custom resources');
let server: EmbeddedServer;
test.before(async () => {
  server = await startServer({ dialect: 'kubernetes' });
  await server.client.request('POST', DEFINITIONS, definition([version('v1'), version('v2')]));
  await eventually('the resource is served', async () => (await server.client.fetch(pathOf('v2'))).status === 200);
});
test.after(() => server.stop());

const pathOf = (version: string, rest = ''): string => `/apis/shop.example/${version}/namespaces/default/parts${rest}`;
const send = (method: string, path: string, body: object, type = JSON_TYPE): Promise<Response> =>
  server.client.fetch(path, { method, body: JSON.stringify(body), headers: { 'content-type': type } });

async function written(method: string, path: string, body: object, type?: string): Promise<Json> {
  const answer = await send(method, path, body, type);
  assert.ok(answer.ok, String(answer.status));
  return answer.json();
}

async function refusal(method: string, path: string, body: object, type?: string): Promise<string> {
  const answer = await send(method, path, body, type);
  assert.is(answer.status, 422);
  return ((await answer.json()) as Json).message;
}

const object = (name: string, more: object, of = 'v1') => ({ apiVersion: `shop.example/${of}`, kind: 'Part', metadata: { name }, ...more });
const ownersOf = ({ metadata }: Json) =>
  (metadata.managedFields ?? [])
    .map((each: Json) => [each.manager, each.apiVersion, each.subresource ?? '', each.fieldsV1])
    .sort((a: string[], b: string[]) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));

test('a write of the whole object knows of its own version alone that it leaves the status as it was', async () => {
  await written('POST', pathOf('v1', '?fieldManager=a'), object('versions', { spec: { phase: 'x' } }));
  await written('PATCH', pathOf('v1', '/versions/status?fieldManager=b'), { status: { phase: 'x', replicas: 1 } }, MERGE);
  await written('PATCH', pathOf('v2', '/versions/status?fieldManager=c'), { status: { replicas: 2 } }, MERGE);
  const stored = (await (await server.client.fetch(pathOf('v2', '/versions'))).json()) as Json;
  assert.equal(ownersOf(stored), [
    ['a', 'shop.example/v1', '', { 'f:spec': { '.': {}, 'f:phase': {} } }],
    ['b', 'shop.example/v1', 'status', { 'f:status': { '.': {}, 'f:phase': {} } }],
    ['c', 'shop.example/v2', 'status', { 'f:status': { 'f:replicas': {} } }],
  ]);
  const { status: _, ...rest } = stored;
  const put = await written('PUT', pathOf('v2', '/versions?fieldManager=d'), rest);
  assert.equal(put.status, { phase: 'x', replicas: 2 });
  assert.equal(ownersOf(put), [
    ['a', 'shop.example/v1', '', { 'f:spec': { '.': {}, 'f:phase': {} } }],
    ['c', 'shop.example/v2', 'status', { 'f:status': { 'f:replicas': {} } }],
  ]);
});

test('nobody owns anything once a write has said nonsense of what it does not change', async () => {
  const made = await written('POST', pathOf('v1'), object('unfit', { spec: { phase: 'x' }, status: 'nonsense' }));
  assert.is(made.metadata.managedFields, undefined);
  await written('POST', pathOf('v1'), object('unfit-later', { spec: { phase: 'x' } }));
  const same = await written('PATCH', pathOf('v1', '/unfit-later'), { status: { phase: 'y' } }, MERGE);
  assert.is(ownersOf(same).length, 1);
  const patched = await written('PATCH', pathOf('v1', '/unfit-later'), { status: { phase: 5 } }, MERGE);
  assert.is(patched.status, undefined);
  assert.is(patched.metadata.managedFields, undefined);
  await written('POST', pathOf('v1'), object('unfit-spec', { spec: { phase: 'x' } }));
  const status = await written('PATCH', pathOf('v1', '/unfit-spec/status'), { spec: { phase: 5 }, status: { phase: 'z' } }, MERGE);
  assert.equal(status.spec, { phase: 'x' });
  assert.is(status.metadata.managedFields, undefined);
});

test('who owned more than the number that his scale changes has two entries', async () => {
  await written('POST', pathOf('v1', '?fieldManager=a'), object('scaled', { spec: { phase: 'x', replicas: 1 } }));
  await written('PATCH', pathOf('v1', '/scaled/scale?fieldManager=b'), { metadata: { labels: { a: 'b' } } }, MERGE);
  const { metadata } = (await (await server.client.fetch(pathOf('v1', '/scaled'))).json()) as Json;
  const entries = metadata.managedFields.map(({ manager, time, fieldsV1 }: Json) => [manager, time !== undefined, fieldsV1]);
  assert.equal(entries, [
    ['a', false, { 'f:spec': { 'f:replicas': {} } }],
    ['a', true, { 'f:spec': { '.': {}, 'f:phase': {} } }],
  ]);
});

test('a status is held against its own schema, whose paths begin at it', async () => {
  await written('POST', pathOf('v1'), object('held', { spec: { phase: 'x' } }));
  const path = pathOf('v1', '/held/status');
  const said = 'Part.shop.example "held" is invalid: status';
  for (const [status, message] of [
    [{ phase: 5 }, `${said}.phase: Invalid value: "integer": phase in body must be of type string: "integer"`],
    [{ list: [1, 7] }, `${said}.list[1]: Invalid value: 7: list[1] in body should be less than or equal to 5`],
  ] as const)
    assert.is(await refusal('PATCH', path, { status }, MERGE), message);
});

test('an empty list of owners says nothing, one empty entry that there are none', async () => {
  const made = await written('POST', pathOf('v1'), object('reset', { spec: { phase: 'x' } }));
  const reset = (managedFields: readonly object[]) => ({ metadata: { managedFields } });
  const patched = await written('PATCH', pathOf('v1', '/reset'), reset([]), MERGE);
  assert.equal(ownersOf(patched), ownersOf(made));
  const put = await written('PUT', pathOf('v1', '/reset'), { ...patched, metadata: { ...patched.metadata, managedFields: [] } });
  assert.equal(ownersOf(put), ownersOf(made));
  assert.equal(ownersOf(await written('PATCH', pathOf('v1', '/reset'), reset([{}]), MERGE)), []);
});

test('what a patch has made is told with all members by name', async () => {
  await written('POST', pathOf('v1'), object('told', { spec: { phase: 'x' } }));
  const told = await refusal('PATCH', pathOf('v1', '/told?fieldValidation=Strict'), { spec: { nope: 1 } }, MERGE);
  const metadata =
    /\\"metadata\\":\{\\"creationTimestamp\\":.*\\"generation\\":1,\\"managedFields\\":\[\{\\"apiVersion\\":.*\\"name\\":\\"told\\",\\"namespace\\":/;
  assert.match(told, metadata);
});

test('what else an object lacks is nothing that a write of its status is told of', async () => {
  await written('POST', pathOf('v1'), object('lacking', {}));
  const stricter = { openAPIV3Schema: { ...schema.openAPIV3Schema, required: ['spec'] } };
  const versions = [{ ...version('v1'), schema: stricter }, version('v2')];
  await written('PATCH', `${DEFINITIONS}/parts.shop.example`, { spec: { versions } }, MERGE);
  const tried = async (): Promise<number> => (await send('POST', pathOf('v1', '?dryRun=All'), object('other', {}))).status;
  await eventually('the schema is in force', async () => (await tried()) === 422);
  assert.match(await refusal('PATCH', pathOf('v1', '/lacking'), { metadata: { labels: { a: 'b' } } }, MERGE), 'spec: Required value');
  const { status } = await written('PATCH', pathOf('v1', '/lacking/status'), { status: { phase: 'x' } }, MERGE);
  assert.equal(status, { phase: 'x' });
});

test('selectable fields stand beside their schema: in a version of its own, or in what all versions share', async () => {
  const other = { openAPIV3Schema: { ...schema.openAPIV3Schema, description: 'another' } };
  const fields = [{ jsonPath: '.spec.phase' }];
  const path = `${DEFINITIONS}?dryRun=All`;
  const defined = (...versions: readonly object[]) => ({ ...definition(versions), metadata: { name: 'others.shop.example' } });
  const named = (body: Json) => ({ ...body, spec: { ...body.spec, names: { plural: 'others', kind: 'Other' } } });
  const [v1, v2] = [version('v1'), version('v2')];
  const shared = await refusal(
    'POST',
    path,
    named(defined({ ...v1, selectableFields: fields }, { ...v2, selectableFields: fields, schema: other })),
  );
  assert.match(shared, 'spec.selectableFields: Invalid value: "": selectableFields may only be set when validations.schema is included');
  const own = await refusal('POST', path, named(defined({ ...v1, selectableFields: fields }, v2)));
  assert.match(own, 'spec.versions[0].selectableFields: Invalid value: "": selectableFields may only be set when version.schema');
  await written('POST', path, named(defined({ ...v1, selectableFields: fields }, { ...v2, schema: other })));
  await written('POST', path, named(defined({ ...v1, selectableFields: fields }, { ...v2, selectableFields: fields })));
});

test.run();
