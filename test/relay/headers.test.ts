import type { IncomingMessage } from 'node:http';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { answerHeaders, requestHeaders } from '../../runtime/relay/headers.ts';

/** A request as Node would have read it. */
function request(...rawHeaders: string[]): IncomingMessage {
  const headers: Record<string, string> = {};
  for (let at = 0; at < rawHeaders.length; at += 2) headers[(rawHeaders[at] as string).toLowerCase()] = rawHeaders[at + 1] as string;
  return { rawHeaders, headers, socket: { remoteAddress: '::ffff:192.0.2.7' } } as unknown as IncomingMessage;
}

const FROM = ['X-Forwarded-For', '192.0.2.7'];
const test = suite('headers for a backend');
const rows: [name: string, given: string[], passed: string[]][] = [
  ['those of others pass, repeated ones too', ['X-A', '1', 'x-a', '2', 'Cookie', 'c=d'], ['X-A', '1', 'x-a', '2', 'Cookie', 'c=d']],
  ['those of the connection do not', ['Connection', 'close, X-Own', 'X-Own', '1', 'Keep-Alive', '5', 'TE', 'deflate', 'Upgrade', 'x'], []],
  ['but that trailers are taken', ['TE', 'deflate;q=0.5, Trailers', 'te', 'trailers'], ['TE', 'trailers']],
  [
    'nor framing, which is made anew',
    ['Content-Length', '5', 'Transfer-Encoding', 'chunked', 'Trailer', 'x', 'Expect', '100-continue'],
    [],
  ],
  ['nor credentials', ['Authorization', 'Basic x', 'Proxy-Authorization', 'y', 'Impersonate-User', 'z', 'Impersonate-Extra-A', 'z'], []],
  ['nor what HTTP/2 has for the first line', [':path', '/', ':method', 'GET'], []],
];
for (const [name, given, passed] of rows)
  test(name, () => assert.equal(requestHeaders(request('Host', 'x', ...given)), ['Host', 'x', ...passed, ...FROM]));
test('the host of HTTP/2 is its authority', () => assert.equal(requestHeaders(request(':authority', 'y')), ['Host', 'y', ...FROM]));
test('cookies of HTTP/2 are one header', () => {
  const sent = {
    ...request(':authority', 'y', 'cookie', 'a=1', 'x', '1', 'cookie', 'b=2'),
    httpVersionMajor: 2,
  } as unknown as IncomingMessage;
  assert.equal(requestHeaders(sent), ['Host', 'y', 'x', '1', 'Cookie', 'a=1; b=2', ...FROM]);
});
test('the way of the request grows longer', () =>
  assert.equal(requestHeaders(request('Host', 'x', 'X-Forwarded-For', '1.1.1.1', 'x-forwarded-for', '2.2.2.2')), [
    'Host',
    'x',
    'X-Forwarded-For',
    '1.1.1.1, 2.2.2.2, 192.0.2.7',
  ]));
test('a token among the protocols is left out, with them where there are no others', () => {
  const token = 'base64url.bearer.authorization.k8s.io.dG9rZW4';
  assert.equal(requestHeaders(request('Host', 'x', 'Sec-WebSocket-Protocol', `${token}, a, b`)), [
    'Host',
    'x',
    'Sec-WebSocket-Protocol',
    'a, b',
    ...FROM,
  ]);
  assert.equal(requestHeaders(request('Host', 'x', 'Sec-WebSocket-Protocol', token)), ['Host', 'x', ...FROM]);
});
test.run();

const answers = suite('headers of a backend');
answers('those of its connection are left out, and those for other origins where the server must not speak for it', () => {
  const raw = [
    'Connection',
    'x-own',
    'X-Own',
    '1',
    'Transfer-Encoding',
    'chunked',
    'Set-Cookie',
    'a',
    'Set-Cookie',
    'b',
    'Access-Control-Allow-Origin',
    '*',
  ];
  const cookies = [
    ['Set-Cookie', 'a'],
    ['Set-Cookie', 'b'],
  ];
  assert.equal(answerHeaders(raw, { crossOrigin: false }), cookies);
  assert.equal(answerHeaders(raw, { crossOrigin: true }), [...cookies, ['Access-Control-Allow-Origin', '*']]);
});
answers.run();
