import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { AskedServer } from '../asked-server.ts';

const test = suite('discovery of the issuer of tokens');
const server = await AskedServer.start();
test.after(() => server.stop());

test('tells where the keys are, and the keys', async () => {
  const configuration = await server.get('/.well-known/openid-configuration');
  assert.equal([configuration.status, configuration.headers.get('cache-control')], [200, 'public, max-age=3600']);
  assert.match(configuration.body.jwks_uri, /\/openid\/v1\/jwks$/);
  const keys = await server.get('/openid/v1/jwks');
  assert.equal([keys.status, keys.headers.get('content-type')], [200, 'application/jwk-set+json']);
  for (const key of keys.body.keys) assert.equal([key.use, key.d], ['sig', undefined]);
});
const refusals: readonly [method: string, accept: string, status: number][] = [
  ['POST', '*/*', 405],
  ['GET', 'text/html', 406],
  ['GET', 'application/*', 406],
  ['GET', '*/*', 200],
  ['GET', 'text/html, application/json', 200],
];
for (const [method, accept, status] of refusals)
  test(`${method} with ${accept} is ${status}`, async () =>
    assert.is((await server.ask(method, '/.well-known/openid-configuration', { headers: { accept } })).status, status));

test.run();
