import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { exchangeProblem, hostPort } from '../../runtime/connections/connection-problem.ts';
import { DialError, dial, type Target } from '../../runtime/relay/dial.ts';
import { HOUR, withMachineClock } from '../harness/machine-clock.ts';
import { OpenSsl } from '../harness/openssl.ts';
import { Backend, outcomeOf } from './backend.ts';

const test = suite('connections to other servers');

test('stand once the other side has taken them', async () => {
  const backend = await new Backend().start();
  const socket = (await dial(backend.target, 5_000)) as Socket;
  assert.is(socket.remotePort, backend.port);
  socket.destroy();
  await backend.stop();
});
test('go to the address where a name was found before, whatever it means by now', async () => {
  const backend = await new Backend().start();
  const socket = (await dial({ host: 'none.invalid', address: '127.0.0.1', port: backend.port }, 5_000)) as Socket;
  assert.is(socket.remotePort, backend.port);
  socket.destroy();
  await backend.stop();
});
test('that are refused are told in the words of 1.32', async () => {
  assert.is(await outcomeOf(dial({ host: '127.0.0.1', port: 1 }, 5_000)), 'DialError: dial tcp 127.0.0.1:1: connect: connection refused');
  assert.is(await outcomeOf(dial({ host: 'none.invalid', port: 80 }, 5_000)), 'DialError: dial tcp: lookup none.invalid: no such host');
  assert.is(await outcomeOf(dial({ host: '127.0.0.1', port: 99_999 }, 5_000)), 'DialError: dial tcp: address 99999: invalid port');
  assert.match(await outcomeOf(dial({ host: '127.0.0.1', port: 0 }, 5_000)), /^DialError: dial tcp 127\.0\.0\.1:0: connect: /);
});
/** A server that takes connections, and says nothing. */
async function withSilentServer(run: (target: Target) => Promise<void>): Promise<void> {
  const silent = createServer((socket) => socket.on('error', () => {})).listen(0, '127.0.0.1');
  await once(silent, 'listening');
  await run({ host: '127.0.0.1', port: (silent.address() as AddressInfo).port, tls: {} });
  silent.close();
}
test('to who says nothing are given up when the handshake of TLS takes too long', () =>
  withSilentServer(async (target) => assert.is(await outcomeOf(dial(target, 50)), 'DialError: net/http: TLS handshake timeout')));
test('are given up after the same time where the clock is set back meanwhile', () =>
  withSilentServer((target) =>
    withMachineClock(async (clock) => {
      const dialed = outcomeOf(dial(target, 60_000));
      clock.set(-6 * HOUR);
      clock.pass(60_000);
      assert.is(await dialed, 'DialError: net/http: TLS handshake timeout');
    }),
  ));
test('to who speaks no TLS are told so', async () => {
  const backend = await new Backend().start();
  assert.match(await outcomeOf(dial({ ...backend.target, tls: {} }, 5_000)), /^DialError: (?:tls: |EOF|read: )/);
  await backend.stop();
});
const problems: readonly [code: string, message: string, said: string][] = [
  ['ECONNRESET', 'x', 'read: connection reset by peer'],
  ['HPE_HEADER_OVERFLOW', 'x', 'net/http: server response headers are too large'],
  ['HPE_INVALID_CONSTANT', 'Expected HTTP/', 'net/http: HTTP/1.x transport connection broken: malformed HTTP response: Expected HTTP/'],
  ['', 'socket hang up', 'EOF'],
  // of Node, for an end before the answer: nothing was reset
  ['ECONNRESET', 'socket hang up', 'EOF'],
  ['EOTHER', 'else', 'else'],
];
for (const [code, message, said] of problems)
  test(`${code || message} on a connection that stood is ${said}`, () =>
    assert.is(exchangeProblem(Object.assign(new DialError(message), { code })), said));
const NO_HTTP: readonly [said: string, told: string][] = [
  ['SSH-2.0-OpenSSH_9.6\r\n', 'malformed HTTP response "SSH-2.0-OpenSSH_9.6"'],
  ['\x15\x03\x01', 'malformed HTTP response "\\x15\\x03\\x01"'],
  ['220 mail ready\r\n', 'malformed HTTP status code "mail"'],
  ['ICY 200 OK\r\n', 'malformed HTTP version "ICY"'],
  ['HTTP/1.1 200 OK\r\nno header\r\n', 'malformed HTTP response: x'],
];
for (const [said, told] of NO_HTTP)
  test(`${JSON.stringify(said)} in place of an answer is told by its first line`, () => {
    const error = Object.assign(new Error('x'), { code: 'HPE_INVALID_CONSTANT', rawPacket: Buffer.from(said, 'latin1') });
    assert.is(exchangeProblem(error), `net/http: HTTP/1.x transport connection broken: ${told}`);
  });
test('have addresses as in a URL', () => assert.equal([hostPort('a.b', 1), hostPort('::1', 'x')], ['a.b:1', '[::1]:x']));

test('to who is known by a Common Name alone are not made, unless nobody is verified', async () => {
  const ssl = new OpenSsl();
  const issuer = ssl.authority('agents');
  const { certificate: cert, key } = ssl.leaf({ subject: '/CN=localhost', issuer, usage: 'serverAuth' });
  const server = createTlsServer({ cert, key }, (socket) => socket.on('error', () => {})).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const place = { host: 'localhost', port: (server.address() as AddressInfo).port };
  try {
    const dialed = dial({ ...place, tls: { authority: issuer.certificate } }, 5_000);
    const verified = await outcomeOf(dialed.then((socket) => (socket.destroy() as Socket).remotePort));
    assert.match(verified, /^DialError: tls: failed to verify certificate: x509: certificate relies on legacy Common Name field/);
    (await dial({ ...place, tls: {} }, 5_000)).destroy();
  } finally {
    server.close();
  }
});

test.run();
