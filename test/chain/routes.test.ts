import { once } from 'node:events';
import { connect } from 'node:http2';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { AskedServer } from '../endpoints/handlers/asked-server.ts';

const test = suite('who answers at the end of the chain');
const server = await AskedServer.start();
const { url, clientConfig } = server.embedded;
const session = connect(url, { ca: clientConfig.certificateAuthority });
test.after(async () => {
  session.destroy();
  await server.stop();
});

async function statusOf(method: string, path: string): Promise<unknown> {
  const stream = session.request({ ':method': method, ':path': path, authorization: `Bearer ${clientConfig.token}` }, { endStream: true });
  const [headers] = await once(stream, 'response');
  stream.close();
  return headers[':status'];
}

// HTTP/2 has any word as a method
const rows: readonly [method: string, path: string, status: number][] = [
  ['UNHEARD-OF', '/api', 405],
  ['UNHEARD-OF', '/api/', 405],
  ['UNHEARD-OF', '/api/v1', 405],
  ['UNHEARD-OF', '/api/v1/namespaces', 405],
  ['UNHEARD-OF', '/apis', 200],
  ['UNHEARD-OF', '/apis/apps', 200],
  ['UNHEARD-OF', '/apis/apps/v1', 405],
  ['UNHEARD-OF', '/healthz', 200],
  ['UNHEARD-OF', '/healthz/ping', 200],
  ['UNHEARD-OF', '/metrics', 200],
  ['UNHEARD-OF', '/openapi/v2', 200],
  ['UNHEARD-OF', '/version', 405],
  ['UNHEARD-OF', '/', 200],
  ['UNHEARD-OF', '/none', 404],
  ['UNHEARD-OF', '/apis/none', 404],
  ['get', '/version', 405],
  ['get', '/apis/apps', 200],
  ['POST', '/apis/apps', 200],
  ['POST', '/version', 405],
  ['PURGE', '/none', 404],
];
for (const [method, path, status] of rows)
  test(`${method} ${path} is ${status}`, async () => assert.is(await statusOf(method, path), status));

test('names in a path are read as they were before they were escaped', async () =>
  assert.equal([await statusOf('GET', '/apis/%61pps'), await statusOf('GET', '/apis/%61pps/v1')], [200, 200]));

test.run();
