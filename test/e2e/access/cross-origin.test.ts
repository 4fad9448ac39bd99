import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { crossOrigin } from '../../../runtime/endpoints/cross-origin.ts';
import { Client } from '../../harness/client.ts';
import { startServer, type TestServer } from '../../harness/server.ts';

const test = suite('pages of other origins');
const SHOP = 'https://shop.example.com';
let server: TestServer;
let client: Client;
let nobody: Client;
test.before(async () => {
  server = await startServer({
    dialect: 'cluster',
    flags: ['--controllers=-*', String.raw`--cors-allowed-origins=^https://shop\.example\.com$,//localhost(:|$)`],
  });
  client = new Client(server);
  nobody = new Client(server, '');
});
test.after(async () => {
  client.close();
  nobody.close();
  await server.stop();
});

const origins: [origin: string, allowed: boolean][] = [
  [SHOP, true],
  ['http://localhost:8080', true],
  ['https://shop.example.com.evil.org', false],
  ['https://evil.org', false],
  ['null', false],
];
for (const [origin, allowed] of origins)
  test(`a page of ${origin} is ${allowed ? 'allowed' : 'none of ours'}`, async () => {
    const { status, headers } = await client.get('/api/v1/namespaces', { origin });
    assert.equal([status, headers['access-control-allow-origin']], [200, allowed ? origin : undefined]);
    assert.is(headers['access-control-allow-credentials'], allowed ? 'true' : undefined);
  });
test('what browsers ask beforehand is answered without credentials', async () => {
  const { status, headers, text } = await nobody.request('OPTIONS', '/api/v1/namespaces', { headers: { origin: SHOP } });
  assert.equal([status, text, headers['access-control-allow-methods']], [204, '', 'POST, GET, OPTIONS, PUT, DELETE, PATCH']);
  assert.is((await nobody.request('OPTIONS', '/api/v1/namespaces', { headers: { origin: 'https://evil.org' } })).status, 403);
});
test('a refusal can be read by the page too', async () => {
  const { status, headers } = await nobody.get('/api/v1/namespaces', { origin: SHOP });
  assert.equal([status, headers['access-control-allow-origin']], [403, SHOP]);
});
test('requests of no page get nothing of it', async () => {
  assert.is((await client.get('/api')).headers['access-control-allow-origin'], undefined);
});

const wrong: [pattern: string, problem: RegExp][] = [
  ['example.com', /host begins and ends/],
  ['https://example.com', /host begins and ends/],
  ['example.com$', /host begins and ends/],
  ['^https://(:', /is no regular expression/],
];
for (const [pattern, problem] of wrong) test(`refused: ${pattern}`, () => assert.throws(() => crossOrigin([pattern]), problem));

test.run();
