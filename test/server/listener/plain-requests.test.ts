import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { buffer } from 'node:stream/consumers';
import { connect as connectTls } from 'node:tls';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ensureCertificates } from '../../../runtime/server/certificates/certificates.ts';
import { listen } from '../../../runtime/server/listener/listen.ts';

const test = suite('requests without TLS');
const folder = mkdtempSync(path.join(tmpdir(), 'plain-'));
const { serving, authority } = await ensureCertificates({ folder, names: ['127.0.0.1'], administrator: 'admin' });
const listener = await listen({
  handler: (_request, response) => response.end('seen'),
  tls: { ...serving, clientAuthorities: [] },
  address: '127.0.0.1',
  port: 0,
});
test.after(async () => {
  await listener.close(0);
  rmSync(folder, { recursive: true });
});

/** All that comes back on a connection on which this is written. */
async function answered(text: string): Promise<string> {
  const socket = connect(listener.port, '127.0.0.1').on('error', () => {});
  socket.write(text);
  return (await buffer(socket).catch(() => Buffer.alloc(0))).toString();
}

for (const method of ['GET', 'POST', 'PUT', 'HEAD'])
  test(`${method} is told what is wrong, and the connection ends`, async () => {
    const answer = await answered(`${method} /healthz HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n`);
    assert.is(answer, 'HTTP/1.0 400 Bad Request\r\n\r\nClient sent an HTTP request to an HTTPS server.\n');
  });

for (const text of ['\x00\x01\x02\x03\x04\x05', 'SSH-2.0-OpenSSH_9.2\r\n'])
  test(`what is neither is told nothing: ${JSON.stringify(text)}`, async () => {
    assert.not.match(await answered(text), 'HTTP');
  });

test('others are served on', async () => {
  const socket = connectTls({ port: listener.port, host: '127.0.0.1', ca: authority });
  await once(socket, 'secureConnect');
  socket.end('GET / HTTP/1.0\r\nConnection: close\r\n\r\n');
  assert.match((await buffer(socket)).toString(), /^HTTP\/1\.1 200 .*seen$/s);
});

test.run();
