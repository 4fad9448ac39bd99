/** Heads that two readers could take for different requests, and bytes that are no request: what is answered, and that nothing behind them is done. */
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { connect as connectHttp2 } from 'node:http2';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { connect } from 'node:tls';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { answerBursts } from '../../../runtime/connections/answer-bursts.ts';
import { endWhole } from '../../../runtime/connections/whole-answer.ts';
import { ensureCertificates } from '../../../runtime/server/certificates/certificates.ts';
import { listen } from '../../../runtime/server/listener/listen.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'request-heads-'));
const certificates = await ensureCertificates({ folder, names: ['127.0.0.1'], administrator: 'admin' });
const served: string[] = [];
const listener = await listen({
  handler: (request: IncomingMessage, response: ServerResponse) => {
    served.push(`${request.method} ${request.url}`);
    request.resume();
    if (request.url === '/slow') return void setTimeout(() => response.end('served'), 100);
    if (request.url !== '/waits') return void response.end('served');
    // behind others, of which all but the first wait
    for (let i = 0; i < 5; i++) answerBursts.end({ destroyed: false, end: () => response } as unknown as ServerResponse, Buffer.alloc(0));
    endWhole(response, 'text/plain', 'served', 6);
  },
  tls: { ...certificates.serving, clientAuthorities: [] },
  address: '127.0.0.1',
  port: 0,
});

/** What comes until the server closes the connection; a connection that stays open is closed by the request for `/last` behind `text`. */
async function exchange(text: string): Promise<string> {
  served.length = 0;
  const socket = connect({ host: '127.0.0.1', port: listener.port, ca: certificates.authority, ALPNProtocols: ['http/1.1'] });
  socket.on('error', () => {});
  await once(socket, 'secureConnect');
  let answer = '';
  socket.setEncoding('latin1').on('data', (chunk) => (answer += chunk));
  const closed = new Promise((resolve) => socket.on('close', resolve));
  socket.write(`${text}GET /last HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`);
  await closed;
  return answer;
}

const request = (...lines: string[]): string => `${lines.join('\r\n')}\r\n\r\n`;
const test = suite('heads of requests');
test.after(async () => {
  await listener.close(0);
  rmSync(folder, { recursive: true });
});

const CHUNKED = '2\r\n{}\r\n0\r\n\r\n';
const refused: readonly { name: string; text: string; status: number; body: RegExp }[] = [
  { name: 'two hosts', text: request('GET /a HTTP/1.1', 'Host: a', 'Host: b'), status: 400, body: /too many Host headers$/ },
  { name: 'one host twice', text: request('GET /a HTTP/1.1', 'Host: a', 'hOST: a'), status: 400, body: /too many Host headers$/ },
  { name: 'two hosts on 1.0', text: request('GET /a HTTP/1.0', 'Host: a', 'Host: b'), status: 400, body: /too many Host headers$/ },
  { name: 'no host', text: request('GET /a HTTP/1.1', 'Accept: a'), status: 400, body: /missing required Host header$/ },
  { name: 'a host with a slash', text: request('GET /a HTTP/1.1', 'Host: a/b'), status: 400, body: /malformed Host header$/ },
  { name: 'a host with a user', text: request('GET /a HTTP/1.1', 'Host: a@b'), status: 400, body: /malformed Host header$/ },
  {
    name: 'gzip, chunked',
    text: request('POST /a HTTP/1.1', 'Host: a', 'Transfer-Encoding: gzip, chunked') + CHUNKED,
    status: 501,
    body: /transfer encoding$/,
  },
  {
    name: 'identity and chunked in two headers',
    text: request('POST /a HTTP/1.1', 'Host: a', 'Transfer-Encoding: identity', 'Transfer-Encoding: chunked') + CHUNKED,
    status: 501,
    body: /transfer encoding$/,
  },
  { name: 'gzip alone', text: request('POST /a HTTP/1.1', 'Host: a', 'Transfer-Encoding: gzip'), status: 501, body: /transfer encoding$/ },
  {
    name: 'chunked on 1.0',
    text: request('POST /a HTTP/1.0', 'Host: a', 'Transfer-Encoding: chunked') + CHUNKED,
    status: 501,
    body: /transfer encoding$/,
  },
  {
    name: 'chunked twice',
    text: request('POST /a HTTP/1.1', 'Host: a', 'Transfer-Encoding: chunked', 'Transfer-Encoding: chunked') + CHUNKED,
    status: 400,
    body: /^400 Bad Request$/,
  },
  {
    name: 'a length with chunks',
    text: request('POST /a HTTP/1.1', 'Host: a', 'Content-Length: 12', 'Transfer-Encoding: chunked') + CHUNKED,
    status: 400,
    body: /^400 Bad Request$/,
  },
  {
    name: 'two lengths',
    text: `${request('POST /a HTTP/1.1', 'Host: a', 'Content-Length: 2', 'Content-Length: 3')}{}`,
    status: 400,
    body: /^400 Bad Request$/,
  },
  {
    name: 'a length with a sign',
    text: `${request('POST /a HTTP/1.1', 'Host: a', 'Content-Length: +2')}{}`,
    status: 400,
    body: /^400 Bad Request$/,
  },
  { name: 'a space before the colon', text: request('GET /a HTTP/1.1', 'Host: a', 'X : b'), status: 400, body: /^400 Bad Request$/ },
  { name: 'a folded header', text: request('GET /a HTTP/1.1', 'Host: a', 'X: b', ' c'), status: 400, body: /^400 Bad Request$/ },
  { name: '2.0 without frames', text: request('GET /a HTTP/2.0', 'Host: a'), status: 505, body: /unsupported protocol version$/ },
  { name: 'no version', text: 'GET /a\r\n\r\n', status: 505, body: /unsupported protocol version$/ },
  {
    name: 'a method that nobody knows',
    text: request('LIST /a HTTP/1.1', 'Host: a'),
    status: 405,
    body: /^\{"kind":"Status".*"reason":"MethodNotAllowed","details":\{\},"code":405\}$/,
  },
  { name: 'a method in lower case', text: request('get /a HTTP/1.1', 'Host: a'), status: 405, body: /"code":405\}$/ },
  { name: 'a method that begins as another', text: request('GETS /a HTTP/1.1', 'Host: a'), status: 405, body: /"code":405\}$/ },
  { name: 'CONNECT', text: request('CONNECT a:443 HTTP/1.1', 'Host: a:443'), status: 405, body: /"code":405\}$/ },
  { name: 'another protocol', text: '\x16\x03\x01\x02\r\n\r\n', status: 400, body: /^400 Bad Request$/ },
  {
    name: 'a head beyond 1 MiB',
    text: request('GET /a HTTP/1.1', `X: ${'x'.repeat(1_100_000)}`),
    status: 431,
    body: /^431 Request Header Fields Too Large$/,
  },
  {
    name: 'a head of 8 MiB, most of which comes behind the refusal',
    text: request('GET /a HTTP/1.1', `X: ${'x'.repeat(8 * 1024 * 1024)}`),
    status: 431,
    body: /^431 Request Header Fields Too Large$/,
  },
];
for (const { name, text, status, body } of refused)
  test(`refused: ${name}`, async () => {
    const [head, answer] = (await exchange(text)).split('\r\n\r\n') as [string, string];
    assert.match(head, new RegExp(`^HTTP/1.1 ${status} `));
    assert.match(head, /\r\nconnection: close(\r\n|$)/i);
    assert.match(answer, body);
    assert.equal(served, [], 'nothing of the connection is served');
  });
test('refused: a second request, after the answer to the first', async () => {
  const answer = await exchange(request('GET /a HTTP/1.1', 'Host: a') + request('GET /b HTTP/1.1', 'Host: a', 'Host: b'));
  assert.match(answer, /^HTTP\/1\.1 200 [\s\S]*served[\s\S]*HTTP\/1\.1 400 [\s\S]*too many Host headers$/);
  assert.equal(served, ['GET /a']);
});

const taken: readonly { name: string; text: string }[] = [
  { name: 'an empty host', text: request('GET /a HTTP/1.1', 'Host:') },
  { name: 'a host with a port', text: request('GET /a HTTP/1.1', 'Host: [::1]:6443') },
  { name: 'chunked in capitals', text: request('POST /a HTTP/1.1', 'Host: a', 'Transfer-Encoding: CHUNKED') + CHUNKED },
  {
    name: 'a chunk with an extension',
    text: `${request('POST /a HTTP/1.1', 'Host: a', 'Transfer-Encoding: chunked')}2;a=b\r\n{}\r\n0\r\n\r\n`,
  },
  { name: 'empty lines before it', text: `\r\n\r\n${request('GET /a HTTP/1.1', 'Host: a')}` },
];
for (const { name, text } of taken)
  test(`served: ${name}`, async () => {
    await exchange(text);
    assert.match(served.join(), /^(GET|POST) \/a,GET \/last$/);
  });
test('served: 1.0 without a host', async () => {
  await exchange(request('GET /a HTTP/1.0'));
  assert.equal(served, ['GET /a']);
});
test('OPTIONS of the server itself are answered without it, and the connection goes on', async () => {
  const answer = await exchange(request('OPTIONS * HTTP/1.1', 'Host: a', 'Content-Length: 2').concat('{}'));
  assert.match(answer, /^HTTP\/1\.1 200 OK\r\ncontent-length: 0\r\n[\s\S]*?\r\n\r\nHTTP\/1\.1 200 OK\r\n/i);
  assert.equal(served, ['GET /last']);
});
test('served: OPTIONS of a path, and other methods of the asterisk', async () => {
  await exchange(request('OPTIONS /a HTTP/1.1', 'Host: a') + request('GET * HTTP/1.1', 'Host: a'));
  assert.equal(served, ['OPTIONS /a', 'GET *', 'GET /last']);
});
test('OPTIONS of the server itself on HTTP/2', async () => {
  const session = connectHttp2(`https://127.0.0.1:${listener.port}`, { ca: certificates.authority });
  const stream = session.request({ ':method': 'OPTIONS', ':path': '*' });
  const [headers] = await once(stream, 'response');
  assert.equal([headers[':status'], headers['content-length']], [200, '0']);
  session.destroy();
});
test('refused on HTTP/2: CONNECT', async () => {
  const session = connectHttp2(`https://127.0.0.1:${listener.port}`, { ca: certificates.authority });
  const stream = session.request({ ':method': 'CONNECT', ':authority': 'a:443' });
  const [headers] = await once(stream, 'response');
  assert.is(headers[':status'], 405);
  session.destroy();
});

test('an answer that waits for others leaves to a client that has ended its side behind its request', async () => {
  const socket = connect({ host: '127.0.0.1', port: listener.port, ca: certificates.authority, ALPNProtocols: ['http/1.1'] });
  await once(socket, 'secureConnect');
  let answer = '';
  socket.setEncoding('latin1').on('data', (chunk) => (answer += chunk));
  const closed = new Promise((resolve) => socket.on('close', resolve));
  socket.end(request('GET /waits HTTP/1.1', 'Host: a'));
  await closed;
  assert.match(answer, /^HTTP\/1\.1 200 OK\r\n[\s\S]*\r\n\r\nserved/);
});

test('an answer that waits for others leaves before its connection is closed for what is no request', async () => {
  const answer = await exchange(`${request('GET /waits HTTP/1.1', 'Host: a')}no request\r\n\r\n`);
  assert.equal(served, ['GET /waits']);
  assert.match(answer, /^HTTP\/1\.1 200 OK\r\n[\s\S]*\r\n\r\nserved/);
});

const SLOW = request('GET /slow HTTP/1.1', 'Host: a');
const CLOSING = request('GET /slow HTTP/1.1', 'Host: a', 'Connection: close');
const BROKEN = `${request('POST /b HTTP/1.1', 'Host: a', 'Transfer-Encoding: chunked')}zz\r\n`;
/** What comes behind requests that are whole, and the statuses of all answers: these requests are answered first, as in Go. */
const behind: readonly (readonly [name: string, text: string, statuses: readonly number[]])[] = [
  ['a request behind the last one', CLOSING, [200]],
  ['a request behind the last of several', SLOW + SLOW + CLOSING, [200, 200, 200]],
  ['a request behind one of 1.0', request('GET /slow HTTP/1.0'), [200]],
  ['no request behind one', `${SLOW}no request\r\n\r\n`, [200, 400]],
  ['no request behind several', `${SLOW}${SLOW}no request\r\n\r\n`, [200, 200, 400]],
  ['a method that nobody knows behind one', SLOW + request('LIST /a HTTP/1.1', 'Host: a'), [200, 405]],
  ['CONNECT behind one', SLOW + request('CONNECT a:443 HTTP/1.1', 'Host: a:443'), [200, 405]],
  ['a body without an end behind one', SLOW + BROKEN, [200, 400]],
  ['a body without an end behind several', SLOW + SLOW + BROKEN, [200, 200, 400]],
];
for (const [name, text, statuses] of behind)
  test(`answered before its connection is closed: ${name}`, async () => {
    const answer = await exchange(text);
    assert.equal(
      [...answer.matchAll(/HTTP\/1\.1 (\d+) /g)].map(([, status]) => Number(status)),
      statuses,
    );
    assert.equal(
      served,
      statuses.filter((status) => status === 200).map(() => 'GET /slow'),
    );
  });
test('a body without an end that is begun already is refused at once', async () => {
  const answer = await exchange(`${request('POST /slow HTTP/1.1', 'Host: a', 'Transfer-Encoding: chunked')}zz\r\n`);
  assert.match(answer, /^HTTP\/1\.1 400 /);
});

test.run();
