import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { WebSocketServer } from 'ws';
import { fromOnePage, offeringOneOf, openWebSocket } from '../../runtime/connections/web-socket.ts';
import { front, say } from '../relay/backend.ts';

const test = suite('handshakes of WebSockets');

const KEY = ['Sec-WebSocket-Key', Buffer.alloc(16).toString('base64')] as const;
const VERSION = ['Sec-WebSocket-Version', '13'] as const;

const refusals: [name: string, method: string, headers: (readonly [string, string])[], answer: string][] = [
  ['another method than GET', 'POST', [KEY, VERSION], '405 Method Not Allowed\r\n\r\nbad method'],
  ['no key', 'GET', [VERSION], '400 Bad Request\r\n\r\nmismatch challenge/response'],
  ['neither a key nor a version', 'GET', [], '400 Bad Request\r\n\r\nmismatch challenge/response'],
  ['no version', 'GET', [KEY], '400 Bad Request\r\nSec-WebSocket-Version: 13\r\n\r\nmissing or bad WebSocket Version'],
];
for (const [name, method, headers, answer] of refusals)
  test(`with ${name} are refused in the words of 1.32`, async () => {
    let opened: unknown = 'not told';
    const served = await front(async (context) => {
      opened = await openWebSocket(new WebSocketServer({ noServer: true }), context);
    });
    const lines = ['Host: x', 'Connection: Upgrade', 'Upgrade: websocket', ...headers.map(([header, value]) => `${header}: ${value}`)];
    assert.is(await say(served.port, `${[`${method} / HTTP/1.1`, ...lines].join('\r\n')}\r\n\r\n`), `HTTP/1.1 ${answer}`);
    assert.is(opened, undefined);
    await served.stop();
  });

const BINARY = offeringOneOf(['binary', 'base64']);
const rules: [name: string, rule: typeof BINARY, headers: Record<string, string>, status: number | undefined][] = [
  ['a page', fromOnePage, { origin: 'https://console.example:8443' }, undefined],
  ['a page that offers a subprotocol', fromOnePage, { origin: 'https://x', 'sec-websocket-protocol': 'a' }, undefined],
  ['a page that offers two', fromOnePage, { origin: 'https://x', 'sec-websocket-protocol': 'a, b' }, 400],
  ['a path', fromOnePage, { origin: '/x' }, undefined],
  ['a scheme alone', fromOnePage, { origin: 'app:' }, undefined],
  ['no origin', fromOnePage, {}, 403],
  ['no origin and two subprotocols', fromOnePage, { 'sec-websocket-protocol': 'a, b' }, 403],
  ['an origin that is kept secret', fromOnePage, { origin: 'null' }, 403],
  ['an origin without a scheme', fromOnePage, { origin: 'console.example' }, 403],
  ['no subprotocol', BINARY, {}, undefined],
  ['a known subprotocol after another', BINARY, { 'sec-websocket-protocol': 'x, base64' }, undefined],
  ['unknown subprotocols', BINARY, { 'sec-websocket-protocol': 'x,y' }, 403],
];
for (const [name, rule, headers, status] of rules)
  test(`${name} ${status === undefined ? 'is taken' : `is refused with ${status}`}`, () => {
    assert.is(rule(headers)?.slice(0, 3), status?.toString());
  });
test.run();
