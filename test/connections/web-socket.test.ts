import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { WebSocketServer } from 'ws';
import { openWebSocket } from '../../runtime/connections/web-socket.ts';
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
test.run();
