import { once } from 'node:events';
import http from 'node:http';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { usedHeap } from '../../harness/heap.ts';
import { type LmdbTestStore, lmdbStore } from '../../storage/lmdb/lmdb-store.ts';
import { ChangingServer, type Wanted } from './server.ts';

const test = suite('an API that changes while it runs');
const GADGETS: Wanted = { group: 'shop.example', name: 'gadgets', kind: 'Gadget', versions: ['v1', 'v1beta1'] };
const TABLE = 'application/json;as=Table;g=meta.k8s.io;v=v1';

let store: LmdbTestStore;
let server: ChangingServer;
test.before.each(async () => {
  store = await lmdbStore();
  server = await ChangingServer.over(store.storage);
});
test.after.each(async () => {
  await server.close();
  await store.remove();
});

const gadgets = (version = 'v1') => `/apis/shop.example/${version}/namespaces/a/gadgets`;
const statusOf = async (path: string, of = server) => (await of.request('GET', path)).status;

test('serves a resource with the answer to its definition, in each of its versions and forms', async () => {
  assert.is(await statusOf(gadgets()), 404);
  assert.is(await server.define(GADGETS), 201);
  const made = await server.request('POST', gadgets(), {
    body: { kind: 'Gadget', apiVersion: 'shop.example/v1', metadata: { name: 'x' }, data: { a: 'b' } },
  });
  assert.equal([made.status, made.body.kind, made.body.data], [201, 'Gadget', { a: 'b' }]);
  const older = await server.request('GET', `${gadgets('v1beta1')}/x`);
  assert.equal([older.status, older.body.apiVersion, older.body.data], [200, 'shop.example/v1beta1', { a: 'b' }]);
  const list = await server.request('GET', gadgets());
  assert.equal([list.body.kind, list.body.apiVersion, list.body.items.length], ['GadgetList', 'shop.example/v1', 1]);
  const table = await server.request('GET', gadgets(), { accept: TABLE });
  assert.equal([table.body.kind, table.body.rows.length], ['Table', 1]);
  const applied = await server.request('PATCH', `${gadgets()}/x?fieldManager=me`, {
    type: 'application/apply-patch+yaml',
    body: { kind: 'Gadget', apiVersion: 'shop.example/v1', metadata: { name: 'x' }, data: { c: 'd' } },
  });
  assert.equal([applied.status, applied.body.data], [200, { a: 'b', c: 'd' }]);
});

test('is told of in discovery and in the documents, and no more once the definition has gone', async () => {
  const told = async () => [
    (await server.request('GET', '/apis')).body.groups.some(({ name }: { name: string }) => name === 'shop.example'),
    (await server.request('GET', '/apis/shop.example')).body?.versions?.map(({ version }: { version: string }) => version),
    (await server.request('GET', '/apis/shop.example/v1')).body?.resources?.map(({ name }: { name: string }) => name),
    Object.keys((await server.request('GET', '/openapi/v3')).body.paths).filter((path) => path.includes('shop.example')),
    (await server.request('GET', '/openapi/v3/apis/shop.example/v1')).status,
  ];
  const nothing = [false, undefined, undefined, [], 404];
  assert.equal(await told(), nothing);
  await server.define(GADGETS);
  await server.define({ ...GADGETS, name: 'tools', kind: 'Tool', versions: ['v1'] });
  const paths = ['apis/shop.example/v1', 'apis/shop.example/v1beta1'];
  assert.equal(await told(), [true, ['v1', 'v1beta1'], ['gadgets', 'tools'], paths, 200]);
  const { body } = await server.request('GET', '/openapi/v3/apis/shop.example/v1');
  assert.equal(Object.keys(body.paths), ['/apis/shop.example/v1/gadgets', '/apis/shop.example/v1/tools']);
  await server.undefine({ ...GADGETS, name: 'tools' });
  await server.undefine(GADGETS);
  assert.equal(await told(), nothing);
  assert.is(await statusOf(gadgets()), 404);
});

test('is the same for every server over the store, at the revision of the definition', async () => {
  const other = await ChangingServer.over(store.storage);
  try {
    await server.define(GADGETS);
    assert.is(await statusOf(gadgets(), other), 200);
    await other.define({ ...GADGETS, versions: ['v1'] });
    assert.is(await statusOf(gadgets('v1beta1')), 404);
    await server.undefine(GADGETS);
    assert.is(await statusOf(gadgets(), other), 404);
    await other.define(GADGETS);
    const late = await ChangingServer.over(store.storage);
    assert.is(await statusOf(gadgets(), late), 200);
    await late.close();
  } finally {
    await other.close();
  }
});

test('a definition that changes ends the watches of the one before, and keeps the objects', async () => {
  await server.define(GADGETS);
  await server.request('POST', gadgets(), { body: { metadata: { name: 'x' }, data: { a: 'b' } } });
  const watch = await server.open('GET', `${gadgets()}?watch=1`, {});
  await server.define({ ...GADGETS, versions: ['v1', 'v2'] });
  assert.is(await statusOf(gadgets('v2')), 200);
  let text = '';
  for await (const chunk of watch) text += chunk;
  assert.match(text, /^\{"type":"ADDED",[^\n]*"name":"x"[^\n]*\n$/);
  assert.equal((await server.request('GET', `${gadgets('v2')}/x`)).body.data, { a: 'b' });
  assert.is(await statusOf(gadgets('v1beta1')), 404);
});

test('a request keeps what was served when it began', async () => {
  await server.define(GADGETS);
  const request = http.request({
    host: '127.0.0.1',
    port: server.port,
    method: 'POST',
    path: gadgets(),
    headers: { 'content-type': 'application/json', expect: '100-continue' },
  });
  request.flushHeaders();
  await once(request, 'continue');
  await server.undefine(GADGETS);
  assert.is(await statusOf(gadgets()), 404);
  request.end(JSON.stringify({ metadata: { name: 'late' } }));
  const [response] = await once(request, 'response');
  response.resume();
  assert.is(response.statusCode, 201);
  await once(response, 'end');
});

test('a built-in group version is not changed by a definition of the same name', async () => {
  await server.define({ group: 'apps', name: 'toys', kind: 'Toy', versions: ['v1', 'v7'] });
  assert.equal(await Promise.all(['v1/toys', 'v7/toys', 'v1/deployments'].map((path) => statusOf(`/apis/apps/${path}`))), [404, 200, 200]);
});

/** Defines resources, uses them in every way, changes their definitions and removes them. */
async function comeAndGo(from: number, count: number): Promise<void> {
  const one = async (number: number): Promise<void> => {
    const wanted = { group: `g${number % 50}.example`, name: `things${number}`, kind: `Thing${number}`, versions: ['v1'] };
    const path = `/apis/${wanted.group}/v1/namespaces/a/${wanted.name}`;
    assert.is(await server.define(wanted), 201);
    assert.is((await server.request('POST', path, { body: { metadata: { name: 'x' }, data: {} } })).status, 201);
    const watch = await server.open('GET', `${path}?watch=1`, {});
    for (const accept of ['application/json', TABLE, 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1'])
      assert.is((await server.request('GET', path, { accept })).status, 200);
    const body = { apiVersion: `${wanted.group}/v1`, kind: wanted.kind, metadata: { name: 'x' }, data: { a: 'b' } };
    assert.is((await server.request('PATCH', `${path}/x?fieldManager=me`, { type: 'application/apply-patch+yaml', body })).status, 200);
    assert.is((await server.request('GET', `/apis/${wanted.group}/v1`)).status, 200);
    assert.is(await server.define({ ...wanted, versions: ['v2', 'v1'] }), 200);
    for await (const _rest of watch);
    assert.is((await server.request('DELETE', `${path.replace('v1', 'v2')}/x`)).status, 200);
    assert.is(await server.undefine(wanted), 200);
    assert.is(await statusOf(path), 404);
  };
  for (let number = from; number < from + count; number += 4) await Promise.all([0, 1, 2, 3].map((more) => one(number + more)));
}

/** Bytes that a round of 252 resources may leave: one of its definitions with its types takes some 10 KB. */
const MOST_HELD = 1024 * 1024;

test('a thousand resources that come, change and go leave nothing behind', async () => {
  await comeAndGo(0, 200);
  // What stays of each resource adds up in every round. What is compiled, or not yet collected, makes some rounds hold more, and never all of them.
  const growths: number[] = [];
  for (let round = 1; round <= 3 || (round <= 8 && Math.min(...growths) >= MOST_HELD); round++) {
    const before = usedHeap();
    await comeAndGo(round * 1_000, 252);
    growths.push(usedHeap() - before);
  }
  const held = server.definitions.made.filter((each) => each.deref() !== undefined).length;
  assert.is(server.definitions.made.length, 2 * (200 + growths.length * 252));
  assert.ok(held <= 4, `${held} definitions are still held`);
  assert.ok(Math.min(...growths) < MOST_HELD, `each round holds more: ${growths.join(', ')} bytes`);
});

test.run();
