/** Objects of a kind with a structural type, through the server: what clients send, what they get, and what they are told of. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { EMBEDDED, INTEGER, KEEPS, keyed, map, object, set, TEXT } from '../../schema/structural/types.ts';
import { type LmdbTestStore, lmdbStore } from '../../storage/lmdb/lmdb-store.ts';
import { ChangingServer, type Wanted } from './server.ts';

const test = suite('kinds with structural types');
const SPEC = object({
  text: { ...TEXT, default: 'A' },
  count: { ...INTEGER, nullable: true },
  sets: map(set(TEXT)),
  items: keyed(object({ name: TEXT, value: TEXT }), ['name']),
  free: { type: 'object', ...KEEPS },
  template: object({ spec: object({ a: TEXT }) }, EMBEDDED),
});
const PARTS: Wanted = {
  group: 'shop.example',
  name: 'parts',
  kind: 'Part',
  versions: ['v1'],
  schema: object({ spec: SPEC, status: object({ a: TEXT }) }),
};
const PATH = '/apis/shop.example/v1/namespaces/a/parts';
const part = (name: string, spec: object) => ({ apiVersion: 'shop.example/v1', kind: 'Part', metadata: { name }, spec });

let store: LmdbTestStore;
let server: ChangingServer;
test.before.each(async () => {
  store = await lmdbStore();
  server = await ChangingServer.over(store.storage);
  await server.define(PARTS);
});
test.after.each(async () => {
  await server.close();
  await store.remove();
});

const patch = (query: string, type: string, body: unknown) =>
  server.request('PATCH', `${PATH}/${query}`, { type: `application/${type}`, body });

test('are created, read and listed as they were decoded', async () => {
  const spec = {
    free: { z: [{ b: 1, a: null }] },
    count: null,
    gone: 1,
    template: { metadata: { name: 'n', creationTimestamp: null, foo: 1 }, kind: 'K' },
  };
  const made = await server.request('POST', PATH, { body: part('x', spec) });
  const want = { count: null, free: { z: [{ a: null, b: 1 }] }, template: { kind: 'K', metadata: { name: 'n' } }, text: 'A' };
  assert.is(made.status, 201);
  assert.is(JSON.stringify(made.body.spec), JSON.stringify(want));
  const read = await server.request('GET', `${PATH}/x`);
  assert.equal(read.body, made.body);
  const list = await server.request('GET', PATH);
  assert.equal(
    list.body.items.map((item: { spec: unknown }) => item.spec),
    [want],
  );
});

test('may have any keys in the maps of their metadata', async () => {
  const annotations = { resourceVersion: 'a', uid: 'b', managedFields: 'c' };
  const made = await server.request('POST', PATH, {
    body: { ...part('x', {}), metadata: { name: 'x', annotations, labels: { uid: 'd' } } },
  });
  const { body } = await server.request('GET', `${PATH}/x`);
  assert.equal([body.metadata.annotations, body.metadata.labels], [annotations, { uid: 'd' }]);
  assert.match(body.metadata.resourceVersion, /^\d+$/);
  assert.is(body.metadata.uid, made.body.metadata.uid);
});

test('tell of unknown fields as the client asks', async () => {
  const body = part('x', { z: 1, template: { y: 1, metadata: { foo: 1 } } });
  const strict = await server.request('POST', `${PATH}?fieldValidation=Strict`, { body });
  assert.equal(
    [strict.status, strict.body.message],
    [
      400,
      'Part in version "v1" cannot be handled as a Part: strict decoding error: unknown field "spec.template.y", unknown field "spec.z", unknown field "spec.template.metadata.foo"',
    ],
  );
  assert.is((await server.request('POST', `${PATH}?fieldValidation=Ignore`, { body })).status, 201);
  const merged = await patch('x?fieldValidation=Strict', 'merge-patch+json', { spec: { z: 1 } });
  assert.is(merged.status, 422);
  const refused = await server.request('POST', PATH, { body: { ...part('y', {}), metadata: { name: 'y', labels: { k: 1 } } } });
  assert.equal(
    [refused.status, refused.body.message],
    [
      400,
      'Part in version "v1" cannot be handled as a Part: json: cannot unmarshal number into Go struct field ObjectMeta.labels of type string',
    ],
  );
});

test('are patched and put', async () => {
  await server.request('POST', PATH, { body: part('x', { count: 1, free: { a: 1 } }) });
  const merged = await patch('x', 'merge-patch+json', { spec: { count: null, free: { b: 2 }, z: 1 } });
  assert.equal([merged.status, merged.body.spec], [200, { free: { a: 1, b: 2 }, text: 'A' }]);
  const patched = await patch('x', 'json-patch+json', [{ op: 'add', path: '/spec/count', value: null }]);
  assert.equal(patched.body.spec, { count: null, free: { a: 1, b: 2 }, text: 'A' });
  const put = await server.request('PUT', `${PATH}/x`, { body: { ...patched.body, spec: { text: 'b' } } });
  assert.equal([put.status, put.body.spec], [200, { text: 'b' }]);
  const managers = put.body.metadata.managedFields.map(({ operation }: { operation: string }) => operation);
  assert.equal([...new Set(managers)], ['Update']);
});

for (const type of ['strategic-merge-patch+json', 'json', 'json, application/merge-patch+json'])
  test(`are not patched by ${type}`, async () => {
    await server.request('POST', PATH, { body: part('x', {}) });
    const { status, body } = await patch('x', type, { spec: { text: 'b' } });
    // the server of this test has the gate CBORServingAndStorage on
    const accepted = ['json-patch+json', 'merge-patch+json', 'apply-patch+yaml', 'apply-patch+cbor'].map((each) => `application/${each}`);
    assert.equal(
      [status, body.message],
      [415, `the body of the request was in an unknown format - accepted media types include: ${accepted.join(', ')}`],
    );
  });

test('are read from YAML, with what is unknown in its order', async () => {
  const { status, body } = await server.request('POST', `${PATH}?fieldValidation=Strict`, {
    type: 'application/yaml',
    body: { ...part('x', { z: 1, b: 2 }), metadata: { name: 'x', foo: 1 } },
  });
  const unknown = 'unknown field "metadata.foo", unknown field "spec.b", unknown field "spec.z"';
  assert.equal([status, body.message], [400, `Part in version "v1" cannot be handled as a Part: strict decoding error: ${unknown}`]);
});

test('are applied by several managers, element by element', async () => {
  const apply = (manager: string, spec: object) => patch(`x?fieldManager=${manager}`, 'apply-patch+yaml', part('x', spec));
  assert.is((await apply('a', { sets: { k: ['x'] }, items: [{ name: 'i', value: 'v' }] })).status, 201);
  assert.is((await apply('b', { sets: { k: ['y'] }, items: [{ name: 'j' }], free: { f: { g: 1 } } })).status, 200);
  const conflict = await apply('b', { items: [{ name: 'i', value: 'w' }] });
  assert.equal([conflict.status, conflict.body.details.causes[0].field], [409, '.spec.items[name="i"].value']);
  const { status, body } = await apply('a', { sets: { k: [] } });
  assert.equal([status, body.spec], [200, { free: { f: { g: 1 } }, items: [{ name: 'j' }], sets: { k: ['y'] }, text: 'A' }]);
  const [{ fieldsV1 }] = body.metadata.managedFields.filter(({ manager }: { manager: string }) => manager === 'b');
  assert.equal(fieldsV1, {
    'f:spec': {
      'f:free': { 'f:f': { '.': {}, 'f:g': {} } },
      'f:items': { 'k:{"name":"j"}': { '.': {}, 'f:name': {} } },
      'f:sets': { 'f:k': { '.': {}, 'v:"y"': {} } },
    },
  });
  const undeclared = await apply('a', { z: 1 });
  assert.equal(
    [undeclared.status, undeclared.body.message],
    [400, 'failed to create typed patch object (/x; shop.example/v1, Kind=Part): .spec.z: field not declared in schema'],
  );
});

test.run();
