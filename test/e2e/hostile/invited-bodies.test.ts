/** Clients that wait to be told before they send a body. */
import { once } from 'node:events';
import http2 from 'node:http2';
import type { TLSSocket } from 'node:tls';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { authority } from '../../harness/client.ts';
import { connect } from '../../harness/raw.ts';
import { startServer, type TestServer } from '../../harness/server.ts';

const test = suite('bodies that are asked for');
const MAPS = '/api/v1/namespaces/default/configmaps';
let server: TestServer;
test.before(async () => {
  server = await startServer({ dialect: 'kubernetes', flags: ['--controllers=-*'] });
});
test.after(async () => {
  await server.stop();
});

const head = (target: string, token: string, length: number): string =>
  [
    `POST ${target} HTTP/1.1`,
    'Host: x',
    `Authorization: Bearer ${token}`,
    'Content-Type: application/json',
    `Content-Length: ${length}`,
  ].join('\r\n');
const WAITING = '\r\nExpect: 100-continue\r\n\r\n';

/** What comes until it matches. */
async function until(socket: TLSSocket, wanted: RegExp): Promise<string> {
  let text = '';
  while (!wanted.test(text)) {
    const [chunk] = await Promise.race([once(socket, 'data'), once(socket, 'close').then(() => [undefined])]);
    if (chunk === undefined) break;
    text += chunk;
  }
  return text;
}

test('who may write is told, and answered once the body is there', async () => {
  const socket = await connect(server);
  const body = JSON.stringify({ metadata: { name: 'a' } });
  socket.write(head(MAPS, server.tokens.admin, body.length) + WAITING);
  assert.is(await until(socket, /\r\n\r\n/), 'HTTP/1.1 100 Continue\r\n\r\n');
  socket.write(body);
  assert.match(await until(socket, /"ConfigMap"/), /^HTTP\/1\.1 201 /);
  socket.destroy();
});
const refused: [what: string, target: string, token: () => string, status: number][] = [
  ['a wrong token', MAPS, () => 'nobody', 401],
  ['no leave', MAPS, () => server.tokens.alice, 403],
  ['a path that there is not', '/api/v1/none', () => server.tokens.admin, 404],
];
for (const [what, target, token, status] of refused)
  test(`${what}: the refusal comes alone, and nothing more is read`, async () => {
    const socket = await connect(server);
    socket.write(head(target, token(), 1_000_000) + WAITING);
    const answer = await until(socket, /\}\s*$/);
    assert.match(answer, new RegExp(`^HTTP/1\\.1 ${status} `));
    assert.match(answer, /\r\nconnection: close\r\n/i);
    socket.destroy();
  });
test('on HTTP/2 too', async () => {
  const session = http2.connect(server.url, { ca: authority(server) });
  const exchange = async (token: string): Promise<{ told: boolean; status: number }> => {
    const stream = session.request({ ':method': 'POST', ':path': MAPS, authorization: `Bearer ${token}`, expect: '100-continue' });
    let told = false;
    stream.on('continue', () => {
      told = true;
      stream.end('{}');
    });
    const [headers] = await once(stream, 'response');
    stream.close();
    return { told, status: headers[':status'] as number };
  };
  assert.equal(await exchange(server.tokens.admin), { told: true, status: 422 });
  assert.equal(await exchange(server.tokens.alice), { told: false, status: 403 });
  session.destroy();
});

test.run();
