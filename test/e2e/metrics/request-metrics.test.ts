/** Figures of requests at /metrics, from a real server. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Client } from '../../harness/client.ts';
import { startServer, type TestServer } from '../../harness/server.ts';

const test = suite('figures of requests');
const MAPS = '/api/v1/namespaces/default/configmaps';
let server: TestServer;
let client: Client;
test.before(async () => {
  server = await startServer({ dialect: 'cluster', flags: ['--controllers=-*', '--emulated-release=1.31'] });
  client = new Client(server);
});
test.after(async () => {
  client.close();
  await server.stop();
});

/** Of config maps, with further labels; 0 where there is none. */
async function figure(name: string, labels: Record<string, string>): Promise<number> {
  const { text } = await client.get('/metrics');
  const all = Object.entries(labels).map(([label, value]) => `${label}="${value}"`);
  const line = text.split('\n').find((each) => each.startsWith(`${name}{`) && all.every((label) => each.includes(label)));
  return line === undefined ? 0 : Number(line.slice(line.lastIndexOf(' ')));
}
const ofMaps = { group: '', version: 'v1', resource: 'configmaps', component: 'apiserver' };

const map = { metadata: { name: 'a' }, data: { a: '1' } };
const applied = { 'content-type': 'application/apply-patch+yaml' };
const rows: [name: string, ask: () => Promise<unknown>, labels: Record<string, string>][] = [
  ['a create', () => client.post(MAPS, map), { verb: 'POST', scope: 'resource', code: '200', dry_run: '' }],
  ['a dry run', () => client.post(`${MAPS}?dryRun=All`, { metadata: { name: 'b' } }), { verb: 'POST', code: '200', dry_run: 'All' }],
  ['a refused create', () => client.post(MAPS, map), { verb: 'POST', scope: 'resource', code: '409' }],
  ['a get', () => client.get(`${MAPS}/a`), { verb: 'GET', scope: 'resource', code: '200' }],
  ['a get of nothing', () => client.get(`${MAPS}/none`), { verb: 'GET', scope: 'resource', code: '404' }],
  ['a list', () => client.get(MAPS), { verb: 'LIST', scope: 'namespace', code: '200' }],
  ['a list of all namespaces', () => client.get('/api/v1/configmaps'), { verb: 'LIST', scope: 'cluster', code: '200' }],
  ['a patch', () => client.patch(`${MAPS}/a`, { data: { b: '2' } }), { verb: 'PATCH', scope: 'resource', code: '200' }],
  [
    'an apply',
    () =>
      client.request('PATCH', `${MAPS}/a?fieldManager=x&force=true`, {
        headers: applied,
        body: '{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"a"}}',
      }),
    { verb: 'APPLY', scope: 'resource', code: '200' },
  ],
  ['an update', () => client.put(`${MAPS}/a`, map), { verb: 'PUT', scope: 'resource', code: '200' }],
  ['a delete', () => client.delete(`${MAPS}/a`), { verb: 'DELETE', scope: 'resource', code: '200' }],
  ['a delete of all', () => client.delete(`${MAPS}?labelSelector=a=b`), { verb: 'DELETECOLLECTION', scope: 'namespace', code: '200' }],
];
for (const [name, ask, labels] of rows)
  test(`count ${name}, once`, async () => {
    const { code: _, ...lasting } = labels;
    const counted = () =>
      Promise.all([
        figure('apiserver_request_total', { ...ofMaps, ...labels }),
        figure('apiserver_request_duration_seconds_count', { ...ofMaps, ...lasting }),
      ]);
    const before = await counted();
    await ask();
    assert.equal(
      await counted(),
      before.map((count) => count + 1),
    );
  });

test('have the sizes of answers', async () => {
  const sum = () => figure('apiserver_response_sizes_sum', { ...ofMaps, verb: 'LIST', scope: 'namespace' });
  const before = await sum();
  const { bytes } = await client.get(MAPS);
  assert.is((await sum()) - before, bytes.length);
});

test('know watches that are under way', async () => {
  const watching = { ...ofMaps, verb: 'WATCH', scope: 'namespace' };
  const watches = await Promise.all([1, 2].map(() => client.watch(`${MAPS}?watch=1`)));
  assert.is(await figure('apiserver_longrunning_requests', watching), 2);
  assert.is(await figure('apiserver_request_total', watching), 0);
  for (const watch of watches) watch.close();
  for (let i = 0; i < 1_000 && (await figure('apiserver_request_total', watching)) < 2; i++);
  assert.equal(
    [await figure('apiserver_longrunning_requests', watching), await figure('apiserver_request_total', { ...watching, code: '200' })],
    [0, 2],
  );
});

test('tell which deprecated APIs are asked for, with when they go', async () => {
  const group = client.name('flowcontrol.apiserver.${groupDomain}');
  const asked = { group, version: 'v1beta3', resource: 'flowschemas', removed_release: '1.32' };
  assert.is(await figure('apiserver_requested_deprecated_apis', asked), 0);
  const { status, headers } = await client.get(`/apis/${group}/v1beta3/flowschemas`);
  assert.equal([status, headers.warning !== undefined], [200, true]);
  assert.is(await figure('apiserver_requested_deprecated_apis', asked), 1);
});

test('have no labels of what clients make up', async () => {
  await client.get('/api/v1/namespaces/default/made-up');
  await client.get('/apis/made.up/v1/things');
  await client.get(`${MAPS}/a/made-up`);
  assert.not.match((await client.get('/metrics')).text, /made[-.]up/);
});

test.run();
