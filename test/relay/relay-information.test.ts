import { once } from 'node:events';
import http2 from 'node:http2';
import type { AddressInfo } from 'node:net';
import type { Context } from 'koa';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { exchange } from '../../runtime/relay/exchange.ts';
import { relayAnswer } from '../../runtime/relay/relay-answer.ts';
import { relayInformation } from '../../runtime/relay/relay-information.ts';
import { Backend, contextOf, front, options, outgoing, say } from './backend.ts';

const backend = await new Backend().start();
backend.answer = ({ socket }) => {
  socket.write(
    'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\nLink: </b>\r\nConnection: x-own\r\nX-Own: 1\r\n\r\n',
  );
  socket.end('HTTP/1.1 200 OK\r\nContent-Type: x/y\r\nContent-Length: 2\r\n\r\nok');
};

const test = suite('what backends say before their answer');

test.after(() => backend.stop());

async function relay(context: Context): Promise<void> {
  const informed = { informed: (information: Parameters<typeof relayInformation>[1]) => relayInformation(context, information) };
  await relayAnswer(context, await exchange(outgoing(backend.target), { ...options(), ...informed }), { crossOrigin: false });
}

test('reaches clients of HTTP/1.1', async () => {
  const served = await front(relay);
  const text = await say(served.port, 'GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
  assert.match(text, /^HTTP\/1\.1 103 Early Hints\r\nLink: <\/a>\r\nLink: <\/b>\r\n\r\nHTTP\/1\.1 200 OK\r\n[\s\S]*ok$/);
  assert.match(await say(served.port, 'GET / HTTP/1.0\r\n\r\n'), /^HTTP\/1\.1 200 OK\r\n/);
  await served.stop();
});
test('reaches clients of HTTP/2', async () => {
  const served = http2.createServer((request, response) => void relay(contextOf(request as never, response as never)));
  await once(served.listen(0, '127.0.0.1'), 'listening');
  const client = http2.connect(`http://127.0.0.1:${(served.address() as AddressInfo).port}`);
  const stream = client.request({ ':path': '/' });
  const [[information], [head]] = await Promise.all([once(stream, 'headers'), once(stream, 'response')]);
  assert.equal([information[':status'], information.link, information['x-own'], head[':status']], [103, '</a>, </b>', undefined, 200]);
  stream.destroy();
  client.close();
  served.close();
});

test.run();
