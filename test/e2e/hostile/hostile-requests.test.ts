/** Paths, queries, methods and headers that no client should send: each gets its Status, none stops the server. */
import http2 from 'node:http2';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Answer, authority, Client } from '../../harness/client.ts';
import { assertNoTrace, assertRefused, attacksOn } from '../../harness/hostile.ts';
import { exchange } from '../../harness/raw.ts';
import { startServer } from '../../harness/server.ts';

const test = suite('hostile requests');

const server = await startServer({ dialect: 'kubernetes' });
const client = new Client(server);
const attack = attacksOn(server, test);
test.after(async () => {
  client.close();
  await server.stop();
});

const CONFIGMAPS = '/api/v1/namespaces/default/configmaps';
const bearer = `Authorization: Bearer ${server.tokens.admin}`;

/** A path goes out as it stands here: Node's own client would refuse some of them. */
async function get(path: string, headers: readonly string[] = []): Promise<Answer> {
  return (
    await exchange(server, [`GET ${path} HTTP/1.1`, 'Host: x', bearer, ...headers, 'Connection: close', '', ''].join('\r\n'))
  )[0] as Answer;
}

const strangePaths: readonly { path: string; status: number | readonly number[] }[] = [
  { path: '/api/v1/%', status: 400 },
  { path: '/api/v1/namespaces/%zz/pods', status: 400 },
  { path: '/api/v1/namespaces/default/pods/%e0%a4', status: [400, 404] },
  { path: '/api/v1/namespaces/default/pods/%00', status: [400, 404] },
  { path: '/api/v1/namespaces/default/pods/%2e%2e%2f%2e%2e', status: [400, 404] },
  { path: '/api/v1/namespaces/default/pods/..%2f..%2fsecrets%2fa', status: [400, 404] },
  { path: '/../../etc/passwd', status: 404 },
  { path: '/openapi/v3/../../../etc/passwd', status: 404 },
  { path: '/openapi/v3/__proto__', status: 404 },
  { path: '/openapi/v3/apis/constructor/v1', status: 404 },
  { path: '/api/__proto__', status: 404 },
  { path: '/api/v1/__proto__', status: 404 },
  { path: '/api/v1/constructor', status: 404 },
  { path: '/api/v1/namespaces/default/__proto__/a', status: 404 },
  { path: '/api/v1/namespaces/default/pods/a/constructor', status: 404 },
  { path: '/api/v1/namespaces/default/pods/a/__proto__/b/c', status: 404 },
  { path: '/api/constructor/pods', status: 404 },
  { path: '/apis/__proto__', status: 404 },
  { path: '/apis/constructor/v1', status: 404 },
  { path: '/apis/toString/valueOf/pods', status: 404 },
  { path: '/apis/apps/__proto__/deployments', status: 404 },
  { path: '/healthz/constructor', status: 404 },
  { path: '/readyz/__proto__', status: 404 },
  { path: `/api/v1/${'a/'.repeat(3_000)}`, status: 404 },
  { path: `/api/v1/namespaces/${'a'.repeat(10_000)}/pods/x`, status: 404 },
  { path: '/api/v1/unicorns', status: 404 },
  { path: '/nothing', status: 404 },
];
for (const { path, status } of strangePaths)
  attack(`GET ${path.slice(0, 60)}`, async () => assertRefused(await get(path), ...[status].flat()));

for (const path of [
  '//',
  '///api//v1',
  '/api/v1//pods',
  '/apis//v1/x',
  '/?%',
  '/api?',
  '/version?%zz',
  'https://elsewhere/api/v1/namespaces',
  '*',
  'x',
  '/api\\v1',
  '/\x7f',
])
  attack(`GET ${JSON.stringify(path)} is answered`, async () => {
    const answer = await get(path);
    assertNoTrace(answer);
    assert.ok(answer.status >= 200 && answer.status < 500, `${answer.status} ${answer.text}`);
  });

attack('a target with scheme and host means its path, and a fragment is part of the path', async () => {
  const { status, body } = await get('https://elsewhere.example/api/v1/namespaces/default');
  assert.equal([status, body.metadata?.name], [200, 'default']);
  assert.is((await get('HTTP://elsewhere.example?x=1')).status, 200);
  for (const path of ['/version#', '/healthz#/version', '/api/v1#/namespaces', '/\\version'])
    assert.is((await get(path)).status, 404, path);
});

attack('names that every JavaScript object has are names', async () => {
  for (const namespace of ['constructor', 'tostring']) {
    const { status, body } = await client.get(`/api/v1/namespaces/${namespace}/configmaps`);
    assert.is(status, 200);
    assert.equal(body.items, []);
  }
  const selected = await client.get('/api/v1/configmaps?labelSelector=constructor');
  assert.equal(selected.body.items, []);
});

const strangeQueries: readonly { on?: string; query: string; status: number | readonly number[] }[] = [
  { query: 'limit=abc', status: 400 },
  { query: 'limit=1.5', status: 400 },
  { query: 'limit=99999999999999999999', status: 400 },
  { query: 'timeoutSeconds=abc', status: 400 },
  { query: 'timeout=abc', status: 400 },
  { query: 'resourceVersion=abc', status: [400, 422] },
  { query: 'resourceVersion=-1', status: [400, 422] },
  { query: 'resourceVersion=1e3', status: [400, 422] },
  { query: 'resourceVersion=18446744073709551616', status: [400, 422] },
  { query: 'resourceVersion=99999999999', status: 504 },
  { query: 'watch=1&resourceVersion=abc', status: [400, 422] },
  { query: 'watch=1&timeoutSeconds=abc', status: 400 },
  { query: 'watch=1&sendInitialEvents=true', status: 422 },
  { query: 'resourceVersionMatch=Sometimes&resourceVersion=1', status: 422 },
  { query: 'resourceVersionMatch=Exact', status: 422 },
  { query: 'limit=1&continue=abc', status: 400 },
  { query: `limit=1&continue=${Buffer.from('{"v":"meta.k8s.io/v1","rv":0,"start":"x"}').toString('base64url')}`, status: 400 },
  { query: `limit=1&continue=${Buffer.from('{"v":"meta.k8s.io/v1","rv":1,"start":"../../secrets/"}').toString('base64url')}`, status: 400 },
  { query: `limit=1&continue=${Buffer.from('[]').toString('base64url')}`, status: 400 },
  { query: `limit=1&continue=${Buffer.from('null').toString('base64url')}`, status: 400 },
  { query: `limit=1&continue=${Buffer.from('{"__proto__":{"rv":1,"start":"a"}}').toString('base64url')}`, status: 400 },
  { query: 'labelSelector=a%20in%20(', status: 400 },
  { query: 'labelSelector=__proto__', status: 400 },
  { query: `labelSelector=${'a.'.repeat(5_000)}`, status: 400 },
  { query: `labelSelector=${'a%20in%20('.repeat(500)}`, status: 400 },
  { query: 'fieldSelector=a', status: 400 },
  { query: 'fieldSelector=constructor%3Dx', status: 400 },
  { query: 'fieldSelector=__proto__%3Dx', status: 400 },
  { on: 'DELETE', query: 'gracePeriodSeconds=abc', status: 400 },
  { on: 'DELETE', query: 'propagationPolicy=Sideways', status: 422 },
  { on: 'DELETE', query: 'dryRun=Perhaps', status: 422 },
  { on: 'POST', query: 'dryRun=Perhaps', status: 422 },
  { on: 'POST', query: 'fieldValidation=Perhaps', status: 422 },
  { on: 'POST', query: `fieldManager=${'m'.repeat(1_000)}`, status: 422 },
  { on: 'POST', query: 'fieldManager=%00', status: 422 },
];
for (const { on = 'GET', query, status } of strangeQueries)
  attack(`${on} ?${query.slice(0, 80)}`, async () => {
    const path = on === 'DELETE' ? `${CONFIGMAPS}/nobody` : CONFIGMAPS;
    const body = on === 'POST' ? { apiVersion: 'v1', kind: 'ConfigMap', metadata: { generateName: 'a-' } } : undefined;
    assertRefused(await client.request(on, `${path}?${query}`, { body }), ...[status].flat());
  });

for (const query of [
  '%',
  '?',
  '&&&===',
  'limit=-5',
  'limit=%zz',
  'pretty=x',
  'unknown=1',
  `${'a=b&'.repeat(2_000)}`,
  '__proto__=1&constructor=2',
  'limit=1&limit=abc',
])
  attack(`GET ?${query.slice(0, 60)} is answered`, async () => {
    const answer = await get(`${CONFIGMAPS}?${query}`);
    assertNoTrace(answer);
    assert.ok(answer.status < 500, `${answer.status} ${answer.text}`);
  });

attack('a watch that is to last for years stays open', async () => {
  const watch = await client.watch(`${CONFIGMAPS}?watch=1&timeoutSeconds=100000000&labelSelector=none%3Dthere`);
  const short = await client.watch(`${CONFIGMAPS}?watch=1&timeoutSeconds=1&labelSelector=none%3Dthere`);
  for await (const _event of short);
  const ended = watch.ended;
  watch.close();
  assert.not(ended, 'though one that began later had its time');
});

for (const method of ['OPTIONS', 'TRACE', 'PROPFIND', 'SEARCH', 'POST', 'PATCH', 'PUT', 'DELETE', 'HEAD'])
  attack(`${method} of a group version`, async () => {
    const answer = await client.request(method, '/api/v1');
    assertNoTrace(answer);
    assert.ok(answer.status === 405 || answer.status === 404, `${answer.status} ${answer.text}`);
  });
for (const method of ['OPTIONS', 'TRACE', 'PROPFIND', 'PUT'])
  attack(`${method} of a collection`, async () => assertRefused(await client.request(method, CONFIGMAPS), 405));

attack('a method that Node does not know', async () => {
  const [answer] = await exchange(server, `BREW ${CONFIGMAPS} HTTP/1.1\r\nHost: x\r\n${bearer}\r\n\r\n`);
  assert.ok(answer === undefined || answer.status === 400 || answer.status === 405, `${answer?.status}`);
});

attack('CONNECT and an upgrade', async () => {
  const [connect] = await exchange(server, `CONNECT elsewhere:443 HTTP/1.1\r\nHost: elsewhere\r\n${bearer}\r\n\r\n`);
  assert.ok(connect === undefined || connect.status >= 400, `${connect?.status}`);
  const upgrade = await get('/version', ['Upgrade: websocket', 'Connection: Upgrade']);
  assert.ok(upgrade.status === 200 || upgrade.status >= 400, `${upgrade.status}`);
});

const strangeHeaders: readonly { name: string; headers: Record<string, string>; status: number }[] = [
  { name: 'Accept without sense', headers: { accept: 'constructor' }, status: 406 },
  { name: 'Accept of separators', headers: { accept: ';;;,,,' }, status: 406 },
  {
    name: 'Accept of a form that every object has',
    headers: { accept: 'application/json;as=constructor;g=meta.k8s.io;v=v1' },
    status: 406,
  },
  { name: 'Accept of a Table of a prototype', headers: { accept: 'application/json;as=Table;g=__proto__;v=constructor' }, status: 406 },
  { name: 'an empty token', headers: { authorization: 'Bearer ' }, status: 401 },
  { name: 'a token that every object has', headers: { authorization: 'Bearer constructor' }, status: 401 },
  { name: 'a token that is a prototype', headers: { authorization: 'Bearer __proto__' }, status: 401 },
  { name: 'a token of 10 KB', headers: { authorization: `Bearer ${'a.'.repeat(5_000)}` }, status: 401 },
  { name: 'a token of three parts that are no JSON', headers: { authorization: 'Bearer !.!.!' }, status: 401 },
  { name: 'a scheme that is none', headers: { authorization: 'Basic !!!' }, status: 403 },
];
const anonymous = new Client(server, '');
test.after(() => anonymous.close());
for (const { name, headers, status } of strangeHeaders)
  test(name, async () => {
    const asks = 'authorization' in headers ? anonymous : client;
    const answer = await asks.get(CONFIGMAPS, headers);
    // An empty token is none, and whoever sends none is anonymous.
    assertRefused(answer, status, ...(headers.authorization === 'Bearer ' ? [403] : []));
  });

attack('Accept with thousands of entries', async () => {
  const answer = await client.get(CONFIGMAPS, { accept: `${'a/b;q=0.1,'.repeat(1_000)}application/json` });
  assert.is(answer.status, 200, answer.text);
});

attack('headers above the limit', async () => {
  const answer = await get('/version', [`X-Long: ${'x'.repeat(2_000_000)}`]);
  assert.ok(answer === undefined || answer.status === 431, `${answer?.status}`);
});

attack('5,000 headers', async () => {
  const answer = await get(
    '/version',
    Array.from({ length: 5_000 }, (_, i) => `X-${i}: y`),
  );
  assert.ok(answer === undefined || answer.status === 200 || answer.status === 431, `${answer?.status}`);
});

attack('an expectation that cannot be met', async () => {
  const answer = await get('/version', ['Expect: bananas']);
  assert.ok([200, 417].includes(answer.status), `${answer.status}`);
});

attack('HTTP/2 carries any method', async () => {
  const session = http2.connect(server.url, { ca: authority(server) });
  try {
    for (const method of ['constructor', '__proto__', 'toString', 'BREW', 'get']) {
      const status = await new Promise<number>((resolve, reject) => {
        const stream = session.request({ ':method': method, ':path': CONFIGMAPS, authorization: `Bearer ${server.tokens.admin}` });
        stream.on('response', (headers) => resolve(Number(headers[':status'])));
        stream.on('error', reject);
        stream.resume().end();
      });
      assert.ok(status >= 400 && status < 500, `${method}: ${status}`);
    }
  } finally {
    session.close();
  }
});

test.run();
