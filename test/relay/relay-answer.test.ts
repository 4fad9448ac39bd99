import type { OutgoingHttpHeaders } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { deflateRawSync, deflateSync, gunzipSync, gzipSync, inflateRawSync, inflateSync } from 'node:zlib';
import type { Context } from 'koa';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { answerOf } from '../../runtime/connections/client-answer.ts';
import { exchange } from '../../runtime/relay/exchange.ts';
import { explanation, type RelayOptions, relayAnswer } from '../../runtime/relay/relay-answer.ts';
import { Backend, front, options, outgoing, say } from './backend.ts';

const backend = await new Backend().start();
const ASK = 'GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n';

const test = suite('answers of backends');

test.after(() => backend.stop());

/** @returns all that the client gets, its body besides (of HTTP/1.0), and how long the server takes it for */
async function relayed(
  how: RelayOptions = { crossOrigin: false },
  ask = ASK,
  before: (context: Context) => void = () => {},
): Promise<{ text: string; bytes: Buffer; length: number }> {
  let length = -1;
  const served = await front(async (context) => {
    const answer = answerOf(context);
    before(context);
    answer.whenOver(() => {
      length = answer.length;
    });
    await relayAnswer(context, await exchange(outgoing(backend.target), options()), how);
  });
  const text = await say(served.port, ask);
  await served.stop();
  return { text, bytes: Buffer.from(text.slice(text.indexOf('\r\n\r\n') + 4), 'latin1'), length };
}
const relink = (link: string): string => (link.startsWith('/') ? `/proxy${link}` : link);
test('reach the client with their status, headers and body', async () => {
  backend.answer = (_, response) => response.writeHead(203, { 'X-One': '1', 'Set-Cookie': ['a=1', 'b=2'] }).end('body');
  const { text, length } = await relayed();
  assert.match(text, /^HTTP\/1\.1 203 /);
  assert.match(text, /\r\nX-One: 1\r\n/);
  assert.match(text, /a=1[\s\S]*b=2[\s\S]*body/);
  assert.is(length, 4);
});
test('leave what the server says itself', async () => {
  backend.answer = (_, response) =>
    response.writeHead(200, { 'Cache-Control': 'public', 'Audit-Id': '1', Warning: ['299 - "a"', '299 - "b"'] }).end();
  const { text } = await relayed(undefined, ASK, (context) => {
    answerOf(context).addUsual('audit-id: 1\r\ncache-control: no-cache\r\n');
    context.res.appendHeader('warning', '299 - "own"');
  });
  const lines = text.split('\r\n').map((line) => line.toLowerCase());
  assert.equal(lines.filter((line) => /^(?:cache-control|audit-id|warning)/.test(line)).sort(), [
    'audit-id: 1',
    'cache-control: no-cache',
    'cache-control: public',
    'warning: 299 - "a"',
    'warning: 299 - "b"',
    'warning: 299 - "own"',
  ]);
});
test('have headers of any bytes', async () => {
  backend.answer = ({ socket }) => socket.end('HTTP/1.1 200 OK\r\nX-Name: gr\xfc\xdfe\r\nContent-Length: 2\r\n\r\nok', 'latin1');
  for (const method of ['GET', 'HEAD'])
    assert.match((await relayed(undefined, ASK.replace('GET', method))).text, /\r\nX-Name: gr\xfc\xdfe\r\n/);
});
test('say nothing to other origins but where that is wanted', async () => {
  backend.answer = (_, response) => response.writeHead(200, { 'Access-Control-Allow-Origin': '*' }).end();
  assert.not.match((await relayed()).text, /access-control/i);
  assert.match((await relayed({ crossOrigin: true })).text, /access-control/i);
});
test('lead to what the client knows', async () => {
  backend.answer = (_, response) => response.writeHead(302, { Location: '/there' }).end();
  const { text } = await relayed({ crossOrigin: false, relink });
  assert.match(text, /\r\nLocation: \/proxy\/there\r\n/);
});
const PAGE = '<a href="/there">there</a>';
const shown: [name: string, headers: OutgoingHttpHeaders, body: string | Buffer, read: (body: Buffer) => string, expected: string][] = [
  [
    'a page',
    { 'Content-Type': 'text/html; charset=utf-8', 'Content-Length': PAGE.length },
    PAGE,
    String,
    '<a href="/proxy/there">there</a>',
  ],
  [
    'a compressed page',
    { 'Content-Type': 'text/html', 'Content-Encoding': 'gzip' },
    gzipSync(PAGE),
    (body) => gunzipSync(body).toString(),
    '<a href="/proxy/there">there</a>',
  ],
  [
    'a deflated page',
    { 'Content-Type': 'text/html', 'Content-Encoding': 'deflate' },
    deflateRawSync(PAGE),
    (body) => inflateRawSync(body).toString(),
    '<a href="/proxy/there">there</a>',
  ],
  [
    'a page deflated otherwise than 1.32 knows',
    { 'Content-Type': 'text/html', 'Content-Encoding': 'deflate' },
    deflateSync(PAGE),
    (body) => inflateSync(body).toString(),
    PAGE,
  ],
  ['what is no page', { 'Content-Type': 'text/plain' }, PAGE, String, PAGE],
  ['a page that leads elsewhere', { 'Content-Type': 'text/html', Location: '/there' }, PAGE, String, PAGE],
  ['a page in another encoding', { 'Content-Type': 'text/html', 'Content-Encoding': 'br' }, PAGE, String, PAGE],
];
for (const [name, headers, body, read, expected] of shown)
  test(`of ${name} have the links that the client knows`, async () => {
    backend.answer = (_, response) => response.writeHead(200, headers).end(body);
    const { bytes } = await relayed(
      { crossOrigin: false, relink },
      ASK.replace('1.1', '1.0').replace('Host: x', 'Host: x\r\nAccept-Encoding: *'),
    );
    assert.is(read(bytes), expected);
  });
test('reach the client with what stands behind their body', async () => {
  backend.answer = (_, response) => {
    response.writeHead(200, { Trailer: 'X-Sum' }).write('body');
    response.addTrailers([
      ['X-Sum', '7'],
      ['X-Sum', '8'],
      ['Keep-Alive', '5'],
    ] as unknown as OutgoingHttpHeaders);
    response.end();
  };
  const { text } = await relayed();
  assert.match(text, /\r\nTrailer: X-Sum\r\n/);
  assert.match(text, /body\r\n0\r\nx-sum: 7\r\nx-sum: 8\r\n\r\n$/);
  assert.match((await relayed(undefined, ASK.replace('1.1', '1.0'))).text, /\r\n\r\nbody$/);
});
test('to HEAD say no length of a page', async () => {
  backend.answer = (_, response) => response.writeHead(200, { 'Content-Type': 'text/html', 'Content-Length': PAGE.length }).end(PAGE);
  const { text } = await relayed({ crossOrigin: false, relink }, ASK.replace('GET', 'HEAD'));
  assert.match(text, /^HTTP\/1\.1 200 /);
  assert.not.match(text, /content-length/i);
});
test('whose page breaks off break the connection of the client', async () => {
  backend.answer = (_, response) => {
    response.writeHead(200, { 'Content-Type': 'text/html', 'Content-Length': '100' });
    response.write('begun', () => response.destroy());
  };
  const { text } = await relayed({ crossOrigin: false, relink });
  assert.match(text, /begun/);
  assert.not.match(text, /\r\n0\r\n\r\n$/);
});
test('that break off break the connection of the client', async () => {
  backend.answer = (_, response) => {
    response.writeHead(200, { 'Content-Length': '100' });
    response.write('begun', () => response.destroy());
  };
  const { text } = await relayed();
  assert.match(text, /begun$/);
});
test('have the type that their first bytes tell where the backend names none', async () => {
  const typed = async (answer: Backend['answer'], ask = ASK) => {
    backend.answer = answer;
    return /\r\ncontent-type: (.*)\r\n/i.exec((await relayed(undefined, ask)).text)?.[1];
  };
  assert.is(await typed((_, response) => response.end('words')), 'text/plain; charset=utf-8');
  assert.is(await typed((_, response) => response.end('<html><p>')), 'text/html; charset=utf-8');
  assert.is(await typed((_, response) => response.setHeader('Content-Type', 'x/y').end('words')), 'x/y');
  assert.is(await typed((_, response) => response.end()), undefined);
  assert.is(await typed((_, response) => response.writeHead(204).end()), undefined);
  assert.is(await typed((_, response) => response.setHeader('Content-Encoding', 'br').end('words')), undefined);
  assert.is(await typed((_, response) => response.end('words'), ASK.replace('GET', 'HEAD')), undefined);
  // the head waits for a while, no longer
  assert.is(await typed((_, response) => pause(50, response.flushHeaders()).then(() => response.end('<p>'))), 'text/html; charset=utf-8');
  assert.is(await typed((_, response) => pause(600, response.flushHeaders()).then(() => response.end('<p>'))), undefined);
});
test('that break off before the first byte are none', async () => {
  backend.answer = async (_, response) => {
    response.writeHead(200, { 'Content-Length': '100' }).flushHeaders();
    await pause(20);
    response.destroy();
  };
  assert.is((await relayed()).text, '');
});
test('come unpacked where the client does not say what it takes', async () => {
  backend.answer = (_, response) =>
    response.writeHead(200, { 'Content-Encoding': 'gzip', 'Content-Type': 'text/html' }).end(gzipSync(PAGE));
  const ask = ASK.replace('1.1', '1.0');
  const { text } = await relayed(undefined, ask);
  assert.not.match(text, /content-encoding|content-length/i);
  assert.ok(text.endsWith(`\r\n\r\n${PAGE}`), text);
  assert.ok((await relayed({ crossOrigin: false, relink }, ask)).text.endsWith('<a href="/proxy/there">there</a>'));
  for (const header of ['Accept-Encoding: gzip', 'Range: bytes=0-9']) {
    const kept = await relayed(undefined, ask.replace('Host: x', `Host: x\r\n${header}`));
    assert.match(kept.text, /content-encoding: gzip/i);
    assert.is(gunzipSync(kept.bytes).toString(), PAGE);
  }
  backend.answer = (_, response) => response.writeHead(200, { 'Content-Encoding': 'gzip', 'Content-Length': 0 }).end();
  assert.match((await relayed(undefined, ask)).text, /content-encoding: gzip/i);
});
test('tell odd statuses as Go does', async () => {
  backend.answer = (_, response) => response.writeHead(799, 'Odd').end();
  assert.match((await relayed()).text, /^HTTP\/1\.1 799 status code 799\r\n/);
  backend.answer = (_, response) => response.writeHead(413).end();
  assert.match((await relayed()).text, /^HTTP\/1\.1 413 Request Entity Too Large\r\n/);
});
test('are explained up to a bound', async () => {
  backend.answer = (_, response) => response.writeHead(500).end('x'.repeat(200_000));
  const { head } = await exchange(outgoing(backend.target), options());
  assert.is((await explanation(head)).length, 50_000);
});

test.run();
