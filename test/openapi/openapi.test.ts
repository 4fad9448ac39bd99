import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { documentHash } from '../../runtime/discovery/entity-tag.ts';
import { createOpenapi, type Openapi } from '../../runtime/openapi/openapi.ts';
import type { OpenapiAnswer, RequestHeaders } from '../../runtime/openapi/openapi-answer.ts';
import { bytesOf } from './answer-bytes.ts';
import { readModel, viewOf } from './documents.ts';
import { gnosticReader } from './gnostic-reader.ts';

const test = suite('OpenAPI documents');
const model = await readModel();
const SERVED = ['autoscaling/v1', 'coordination/v1'];
const view = viewOf(model, 'kubernetes', SERVED);
const shared = createOpenapi(view);

async function get(openapi: Openapi, address: string, headers: RequestHeaders = {}): Promise<OpenapiAnswer> {
  const [path = '', query] = address.split('?');
  const answer = await openapi.handle(path, new URLSearchParams(query), headers);
  if (answer === undefined || answer === 'elsewhere') throw new Error(`no answer for ${address}`);
  return answer;
}

const parsed = (answer: OpenapiAnswer) => JSON.parse(bytesOf(answer).toString());
const V2_TYPE = 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf';
const V3_TYPE = 'application/com.github.proto-openapi.spec.v3.v1.0+protobuf';
const LEASES = '/openapi/v3/apis/coordination.k8s.io/v1';

test('the list has every document, by its hash', async () => {
  const list = await get(shared, '/openapi/v3');
  assert.is(list.headers['content-type'], 'text/plain; charset=utf-8');
  const { paths } = parsed(list) as { paths: Record<string, { serverRelativeURL: string }> };
  assert.equal(Object.keys(paths), [
    '.well-known/openid-configuration',
    'apis',
    'apis/autoscaling',
    'apis/autoscaling/v1',
    'apis/coordination.k8s.io',
    'apis/coordination.k8s.io/v1',
    'openid/v1/jwks',
    'version',
  ]);
  for (const [path, { serverRelativeURL }] of Object.entries(paths)) {
    const answer = await get(shared, serverRelativeURL);
    assert.is(answer.status, 200, path);
    assert.is(serverRelativeURL, `/openapi/v3/${path}?hash=${documentHash(answer.body as Buffer)}`);
    assert.is(answer.headers['cache-control'], 'public, immutable');
    const days = (Date.parse(answer.headers.expires ?? '') - Date.now()) / 86_400_000;
    assert.ok(days > 364 && days < 366, answer.headers.expires);
  }
});

const forms: { name: string; path: string; accept?: string; status: number; type?: string }[] = [
  { name: 'v3 without Accept', path: LEASES, status: 200, type: 'application/json' },
  { name: 'v3 of any type', path: LEASES, accept: '*/*', status: 200, type: 'application/json' },
  { name: 'v3 as JSON and what may be', path: LEASES, accept: 'application/json, */*', status: 200, type: 'application/json' },
  { name: 'v3 in binary', path: LEASES, accept: V3_TYPE, status: 200, type: V3_TYPE },
  { name: 'v3 in binary, by its old name', path: LEASES, accept: V3_TYPE.replace('v3.v1', 'v3@v1'), status: 200, type: V3_TYPE },
  { name: 'v3 has no binary form of v2', path: LEASES, accept: V2_TYPE, status: 406 },
  { name: 'v3 has no YAML', path: LEASES, accept: 'application/yaml', status: 406 },
  { name: 'the highest quality counts', path: LEASES, accept: `application/json;q=0.5,${V3_TYPE}`, status: 200, type: V3_TYPE },
  { name: 'v2 in binary, by its old name', path: '/openapi/v2', accept: V2_TYPE.replace('v2.v1', 'v2@v1'), status: 200, type: V2_TYPE },
  { name: 'v2 as JSON', path: '/openapi/v2', accept: 'application/json', status: 200, type: 'application/json' },
  { name: 'v2 has no YAML', path: '/openapi/v2', accept: 'application/yaml', status: 406 },
  { name: 'a group version that is not served', path: '/openapi/v3/apis/nope.example.org/v1', status: 404 },
  { name: 'a group version that is not enabled', path: '/openapi/v3/apis/apps/v1', status: 404 },
];

for (const { name, path, accept, status, type } of forms)
  test(name, async () => {
    const answer = await get(shared, path, { accept });
    assert.is(answer.status, status);
    assert.is(answer.headers['content-type'], type);
    if (status === 200) assert.is(answer.headers.vary, path === '/openapi/v2' ? 'Accept-Encoding, Accept' : 'Accept');
    else assert.is(answer.body.length, 0);
  });

const strangers = ['/openapi', '/openapi/v2/', '/openapi/v2/apis', '/openapi/v33', '/apis'];
for (const path of strangers)
  test(`${path} is no document`, async () => assert.is(await shared.handle(path, new URLSearchParams(), {}), undefined));

for (const path of ['/openapi/v2', '/openapi/v3', LEASES]) {
  test(`${path}: the entity tag spares the body`, async () => {
    const first = await get(shared, path);
    const again = await get(shared, path, { 'if-none-match': first.headers.etag });
    assert.is(again.status, 304);
    assert.is(again.body.length, 0);
    assert.is(again.headers['content-type'], undefined);
    assert.is(again.headers.etag, first.headers.etag);
  });
  test(`${path}: another tag does not`, async () => assert.is((await get(shared, path, { 'if-none-match': '"x"' })).status, 200));
}

const conditions: { name: string; headers: (etag: string, date: string) => RequestHeaders; status: number }[] = [
  { name: 'the date that it has', headers: (_, date) => ({ 'if-modified-since': date }), status: 304 },
  { name: 'a later date', headers: () => ({ 'if-modified-since': 'Fri, 01 Jan 2100 00:00:00 GMT' }), status: 304 },
  { name: 'an earlier date', headers: () => ({ 'if-modified-since': 'Thu, 01 Jan 1970 00:00:01 GMT' }), status: 200 },
  { name: 'what is no date', headers: () => ({ 'if-modified-since': 'yesterday' }), status: 200 },
  { name: 'another tag, whatever its date', headers: (_, date) => ({ 'if-none-match': '"x"', 'if-modified-since': date }), status: 200 },
  { name: 'its tag, if it is to match', headers: (etag) => ({ 'if-match': etag }), status: 200 },
  { name: 'any tag, if it is to match', headers: () => ({ 'if-match': '*' }), status: 200 },
  { name: 'another tag, if it is to match', headers: () => ({ 'if-match': '"x"' }), status: 412 },
  { name: 'its tag weakly, if it is to match', headers: (etag) => ({ 'if-match': `W/${etag}` }), status: 412 },
  { name: 'a date before which it was not', headers: () => ({ 'if-unmodified-since': 'Thu, 01 Jan 1970 00:00:01 GMT' }), status: 412 },
  { name: 'a date since which it is the same', headers: (_, date) => ({ 'if-unmodified-since': date }), status: 200 },
];
for (const { name, headers, status } of conditions)
  for (const path of [LEASES, '/openapi/v2'])
    test(`${path}: of ${name}`, async () => {
      const { etag = '', 'last-modified': date = '' } = (await get(shared, path)).headers;
      assert.ok(Math.abs(Date.parse(date) - Date.now()) < 600_000, date);
      const answer = await get(shared, path, headers(etag, date));
      assert.equal([answer.status, answer.body.length > 0], [status, status === 200]);
      assert.is(answer.headers.etag, etag);
      assert.is(answer.headers['last-modified'], status === 304 ? undefined : date);
    });

test('the list of documents is always of now', async () => {
  const { 'last-modified': date = '' } = (await get(shared, '/openapi/v3')).headers;
  assert.ok(Math.abs(Date.parse(date) - Date.now()) < 5_000, date);
  const since = async (headers: RequestHeaders) => (await get(shared, '/openapi/v3', headers)).status;
  assert.is(await since({ 'if-modified-since': 'Thu, 01 Jan 1970 00:00:01 GMT' }), 200);
  assert.is(await since({ 'if-modified-since': 'Fri, 01 Jan 2100 00:00:00 GMT' }), 304);
  assert.is(await since({ 'if-match': '"x"' }), 412);
});

test('a stale hash leads to the document of now', async () => {
  const { etag = '' } = (await get(shared, LEASES)).headers;
  const answer = await get(shared, `${LEASES}?hash=00`);
  assert.is(answer.status, 301);
  assert.is(answer.headers.location, `${LEASES}?hash=${etag.slice(1, -1)}`);
  assert.is(answer.headers['cache-control'], undefined);
});

test('without a hash nothing is kept for ever', async () => assert.is((await get(shared, LEASES)).headers['cache-control'], undefined));

test('both binary forms say what the JSON says', async () => {
  for (const [path, type, version] of [
    [LEASES, V3_TYPE, 'v3'],
    ['/openapi/v3/apis/autoscaling/v1', V3_TYPE, 'v3'],
    ['/openapi/v2', V2_TYPE, 'v2'],
  ] as const) {
    const json = parsed(await get(shared, path));
    const binary = await get(shared, path, { accept: type });
    assert.equal(gnosticReader(version)(bytesOf(binary)), json, path);
  }
});

test('v2 merges all documents', async () => {
  const swagger = parsed(await get(shared, '/openapi/v2'));
  assert.is(swagger.swagger, '2.0');
  assert.is(swagger.info.title, 'Kubernetes');
  for (const path of ['/apis/', '/apis/autoscaling/', '/apis/autoscaling/v1/', '/version/', '/apis/coordination.k8s.io/v1/leases'])
    assert.ok(path in swagger.paths, path);
  assert.ok('io.k8s.api.coordination.v1.LeaseSpec' in swagger.definitions);
  assert.not.match(JSON.stringify(swagger), '#/components/');
});

test('documents of groups and of the version', async () => {
  const group = parsed(await get(shared, '/openapi/v3/apis/autoscaling'));
  assert.equal(Object.keys(group.paths), ['/apis/autoscaling/']);
  assert.is(group.paths['/apis/autoscaling/'].get.operationId, 'getAutoscalingAPIGroup');
  assert.equal(Object.keys(group.components.schemas), [
    'io.k8s.apimachinery.pkg.apis.meta.v1.APIGroup',
    'io.k8s.apimachinery.pkg.apis.meta.v1.GroupVersionForDiscovery',
    'io.k8s.apimachinery.pkg.apis.meta.v1.ServerAddressByClientCIDR',
  ]);
  const version = parsed(await get(shared, '/openapi/v3/version'));
  assert.is(version.paths['/version/'].get.operationId, 'getCodeVersion');
});

const dialects: { name: string; dialect: 'cluster' | 'kubernetes'; path: string; types: string[] }[] = [
  {
    name: 'kubernetes',
    dialect: 'kubernetes',
    path: LEASES,
    types: ['application/json', 'application/vnd.kubernetes.protobuf', 'application/yaml'],
  },
  {
    name: 'cluster, which answers no YAML',
    dialect: 'cluster',
    path: '/openapi/v3/apis/coordination.cluster.io/v1',
    types: ['application/json', 'application/vnd.cluster.protobuf'],
  },
];
for (const { name, dialect, path, types } of dialects)
  test(`names and media types of the dialect ${name}`, async () => {
    const text = (await get(createOpenapi(viewOf(model, dialect, SERVED)), path)).body.toString();
    assert.not.match(text, '${');
    const root = path.replace('/openapi/v3', '');
    const item = JSON.parse(text).paths[`${root}/namespaces/{namespace}/leases/{name}`];
    assert.equal(Object.keys(item.get.responses['200'].content), types);
    assert.ok('application/apply-patch+yaml' in item.patch.requestBody.content);
  });

test('a changed set of group versions changes lists and documents', async () => {
  const served = [...view.groupVersions];
  const openapi = createOpenapi({ ...view, groupVersions: served });
  const before = { list: await get(openapi, '/openapi/v3'), swagger: await get(openapi, '/openapi/v2') };
  served.pop();
  openapi.invalidate();
  const after = { list: await get(openapi, '/openapi/v3'), swagger: await get(openapi, '/openapi/v2') };
  assert.is.not(after.list.headers.etag, before.list.headers.etag);
  assert.is.not(after.swagger.headers.etag, before.swagger.headers.etag);
  assert.is((await get(openapi, LEASES)).status, 404);
  assert.is((await get(openapi, '/openapi/v3/apis/autoscaling/v1')).status, 200);
});

test('a document that could not be read is read anew', async () => {
  let failures = 1;
  const [first, ...others] = view.groupVersions as [(typeof view.groupVersions)[number]];
  const loadOpenapi = () => (failures-- > 0 ? Promise.reject(new Error('unreadable')) : first.loadOpenapi());
  const openapi = createOpenapi({ ...view, groupVersions: [{ ...first, loadOpenapi }, ...others] });
  try {
    await get(openapi, '/openapi/v2');
    assert.unreachable();
  } catch (error) {
    assert.is((error as Error).message, 'unreadable');
  }
  assert.is((await get(openapi, '/openapi/v2')).status, 200);
});

test.run();
