import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { forwarded } from '../../runtime/relay/relay-request.ts';
import { relayUpgrade } from '../../runtime/relay/relay-upgrade.ts';
import { Backend, front, options, outgoing, say } from './backend.ts';

const ASK = 'GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\nhello';

const test = suite('switches that are passed on');

async function through(backend: Backend, port = backend.port): Promise<string> {
  const target = { host: '127.0.0.1', port };
  const served = await front((context) => relayUpgrade(context, outgoing(target, { upgrade: 'echo' }), options()));
  const text = await say(served.port, ASK);
  await served.stop();
  await backend.stop();
  return text;
}
test('join the two connections once the backend has switched', async () => {
  const backend = await new Backend().switches((socket) => socket.once('data', (said) => socket.end(`you said ${said}`))).start();
  const text = await through(backend);
  assert.match(text, /^HTTP\/1\.1 101 Switching Protocols\r\n/);
  assert.match(text, /\r\nUpgrade: echo\r\n[\s\S]*you said hello$/);
});
test('are refused as the backend refuses them', async () => {
  const backend = await new Backend().start();
  backend.answer = (_, response) => response.writeHead(403).end('not you');
  assert.match(await through(backend), /^HTTP\/1\.1 403 [\s\S]*not you/);
});
test('are an error where the backend neither switches nor refuses', async () => {
  const backend = await new Backend().start();
  backend.answer = (_, response) => response.writeHead(200).end('well');
  assert.match(await through(backend), /500 [\s\S]*invalid upgrade response: status code 200/);
});
test('are an error where nobody is there', async () => {
  assert.match(
    await through(await new Backend().start(), 1),
    /500 [\s\S]*error dialing backend: dial tcp 127\.0\.0\.1:1: connect: connection refused/,
  );
});
test('are told what went wrong with the answer of a backend that was reached', async () => {
  const broken = async (said: string) => {
    const backend = await new Backend().start();
    backend.server.on('upgrade', (_, socket) => socket.end(said));
    return through(backend);
  };
  assert.match(await broken(''), /^HTTP\/1\.1 500 [\s\S]*\n(?:StatusError: )?unexpected EOF/);
  assert.match(await broken('no HTTP'), /\n(?:StatusError: )?malformed HTTP status code "HTTP"/);
});

test('are asked for by Connection alone, too', async () => {
  const backend = await new Backend().start();
  const seen: string[] = [];
  backend.answer = (request, response) => {
    seen.push(`${request.headers.connection} ${request.headers.upgrade}`);
    response.writeHead(request.url === '/no' ? 403 : 200).end('not you');
  };
  const served = await front((context) =>
    relayUpgrade(context, forwarded(context.req, backend.target, context.req.url as string), options()),
  );
  const ask = (path: string) => say(served.port, `GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close, Upgrade\r\n\r\n`);
  assert.match(await ask('/'), /500 [\s\S]*invalid upgrade response: status code 200/);
  assert.match(await ask('/no'), /^HTTP\/1\.1 403 [\s\S]*not you/);
  assert.equal(seen, ['Upgrade undefined', 'Upgrade undefined']);
  await served.stop();
  await backend.stop();
});

test.run();
