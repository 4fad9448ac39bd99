import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { connect, type Socket } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { exchange } from '../../runtime/relay/exchange.ts';
import { relayInside, tunnelProtocols, unwrapped } from '../../runtime/relay/spdy-tunnel.ts';
import { identity } from '../kinds/context.ts';
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
];

const test = suite('SPDY inside of a WebSocket');

/** What a client is told when the agent switches with these lines, and what came of it. @param speak what it does then */
async function tunnelled(
  agentLines: string,
  { head = HEAD, offered = PROTOCOL, until = () => true }: { head?: string[]; offered?: string; until?: (text: string) => boolean } = {},
  speak: (client: Socket) => void = () => {},
): Promise<{ text: string; seen: (string | undefined)[]; code: number | undefined }> {
  const seen: (string | undefined)[] = [];
  const agent = await new Backend()
    .switches((socket, _, request) => {
      seen.push(request.headers.upgrade, String(request.headers['x-stream-protocol-version']));
      socket.once('data', (said) => socket.end(`you said ${said}`));
    }, agentLines)
    .start();
  let code: number | undefined;
  const served = await front(async (context) => {
    const protocols = tunnelProtocols(context.req, identity.text);
    const { head: answered, switched } = await exchange(unwrapped(outgoing(agent.target), protocols), options());
    if (switched !== undefined) code = relayInside(context, { head: answered, switched }, protocols);
  });
  const client = connect(served.port, '127.0.0.1').on('error', () => {});
  client.write(`${[...head, `Sec-WebSocket-Protocol: ${offered}`].join('\r\n')}\r\n\r\n`);
  let text = '';
  client.setEncoding('latin1').on('data', (chunk) => {
    text += chunk;
  });
  while (!text.includes('\r\n\r\n')) await once(client, 'data');
  speak(client);
  while (!until(text)) await once(client, 'data');
  client.destroy();
  await served.stop();
  await agent.stop();
  return { text, seen, code };
}
const CHOSEN = 'Upgrade: SPDY/3.1\r\nX-Stream-Protocol-Version: portforward.k8s.io';

test('is unwrapped for the agent and wrapped for the client, and ends as it should', async () => {
  const closed = 'you said hello\x88\x02\x03\xe8';
  const { text, seen, code } = await tunnelled(
    CHOSEN,
    { until: (text) => text.includes(closed) },
    (client) => void client.write(masked('hello')),
  );
  assert.match(text, /^HTTP\/1\.1 101 [\s\S]*Sec-WebSocket-Protocol: SPDY\/3\.1\+portforward\.k8s\.io\r\n/);
  assert.equal([seen, code], [['SPDY/3.1', 'portforward.k8s.io'], 101]);
});
test('has the protocol that the agent chooses among all that the client offers', async () => {
  const offered = `SPDY/3.1+other.k8s.io, v4.channel.k8s.io, ${PROTOCOL}`;
  const { text, seen } = await tunnelled(CHOSEN, { offered });
  assert.equal(seen, ['SPDY/3.1', 'other.k8s.io, portforward.k8s.io']);
  assert.match(text, /Sec-WebSocket-Protocol: SPDY\/3\.1\+portforward\.k8s\.io\r\n/);
});
for (const [name, lines] of [
  ['none', 'Upgrade: SPDY/3.1'],
  ['one that nobody offered', 'Upgrade: SPDY/3.1\r\nX-Stream-Protocol-Version: other.k8s.io'],
] as const)
  test(`has no protocol where the agent chooses ${name}`, async () => {
    const { text } = await tunnelled(lines);
    assert.match(text, /^HTTP\/1\.1 101 (?![\s\S]*Sec-WebSocket-Protocol)/);
  });
test('is an error where the agent switches to something else', async () => {
  const { text, code } = await tunnelled('Upgrade: echo', { until: (said) => said.includes('response\n') });
  assert.match(
    text,
    /^HTTP\/1\.1 500 [\s\S]*Content-Type: text\/plain; charset=utf-8[\s\S]*\r\n\r\nunable to upgrade: missing upgrade headers in response\n$/i,
  );
  assert.is(code, 500);
});
const without = (name: string): string[] => HEAD.filter((line) => !line.startsWith(name));
for (const [name, head, status] of [
  ['another method than GET', ['POST / HTTP/1.1', ...HEAD.slice(1)], '405 Method Not Allowed'],
  ['no version', without('Sec-WebSocket-Version'), '400 Bad Request'],
  ['no key', without('Sec-WebSocket-Key'), '400 Bad Request'],
  ['a key that is none', [...without('Sec-WebSocket-Key'), 'Sec-WebSocket-Key: abc'], '400 Bad Request'],
] as const)
  test(`is refused to a handshake with ${name}`, async () => {
    const { text, code } = await tunnelled(CHOSEN, { head: [...head], until: (said) => /\r\n\r\n.*\n/.test(said) });
    assert.match(text, new RegExp(`^HTTP/1\\.1 ${status}\r\n`));
    assert.match(text, /\r\nSec-WebSocket-Version: 13\r\n/i);
    assert.ok(text.endsWith(`\r\n\r\n${status.slice(4)}\n`));
    assert.is(code, 500);
  });
test('asks the agent for what is inside', () => {
  const { headers, upgrade } = unwrapped(outgoing({ host: 'h', port: 1 }), [PROTOCOL]);
  assert.equal([headers.at(-1), upgrade], ['portforward.k8s.io', 'SPDY/3.1']);
});
test('is none where the client does not ask for it', () => {
  assert.equal(tunnelProtocols({ headers: {} } as IncomingMessage, identity.text), []);
});

test.run();
