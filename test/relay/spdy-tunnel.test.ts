import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { exchange } from '../../runtime/relay/exchange.ts';
import { relayInside, tunnelProtocol, unwrapped } from '../../runtime/relay/spdy-tunnel.ts';
import { Backend, front, options, outgoing } from './backend.ts';

const PROTOCOL = 'SPDY/3.1+portforward.k8s.io';
/** A client's frame of a WebSocket, binary, with a mask of zeros (RFC 6455 section 5.2). */
const masked = (text: string): Buffer => Buffer.concat([Buffer.from([0x82, 0x80 | text.length, 0, 0, 0, 0]), Buffer.from(text)]);
const HEAD = [
  'GET / HTTP/1.1',
  'Host: x',
  'Connection: Upgrade',
  'Upgrade: websocket',
  'Sec-WebSocket-Version: 13',
  'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
  `Sec-WebSocket-Protocol: ${PROTOCOL}`,
];

const test = suite('SPDY inside of a WebSocket');

test('is unwrapped for the agent and wrapped for the client', async () => {
  const agent = await new Backend()
    .switches((socket) => socket.once('data', (said) => socket.end(`you said ${said}`)), 'Upgrade: SPDY/3.1')
    .start();
  const seen: (string | undefined)[] = [];
  const served = await front(async (context) => {
    const protocol = tunnelProtocol(context.req);
    seen.push(protocol);
    const { head, switched } = await exchange(unwrapped(outgoing(agent.target), protocol ?? ''), options());
    seen.push(head.headers.upgrade);
    if (switched !== undefined) relayInside(context, { head, switched }, protocol ?? '');
  });
  const client = connect(served.port, '127.0.0.1').on('error', () => {});
  client.write(`${HEAD.join('\r\n')}\r\n\r\n`);
  let text = '';
  client.setEncoding('latin1').on('data', (chunk) => {
    text += chunk;
  });
  while (!text.includes('\r\n\r\n')) await once(client, 'data');
  assert.match(text, /^HTTP\/1\.1 101 [\s\S]*Sec-WebSocket-Protocol: SPDY\/3\.1\+portforward\.k8s\.io\r\n/);
  client.write(masked('hello'));
  while (!text.includes('you said hello')) await once(client, 'data');
  assert.equal(seen, [PROTOCOL, 'SPDY/3.1']);
  client.destroy();
  await served.stop();
  await agent.stop();
});
test('asks the agent for what is inside', () => {
  const { headers, upgrade } = unwrapped(outgoing({ host: 'h', port: 1 }), PROTOCOL);
  assert.equal([headers.at(-1), upgrade], ['portforward.k8s.io', 'SPDY/3.1']);
});
test('is none where the client does not ask for it', () => {
  assert.is(tunnelProtocol({ headers: {} } as IncomingMessage), undefined);
});

test.run();
