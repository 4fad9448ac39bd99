/** Answers in one write are what Node would have sent in two. */
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { connect as connectHttp2 } from 'node:http2';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { connect, type TLSSocket } from 'node:tls';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { setStatus } from '../../runtime/connections/reason-phrase.ts';
import { endAtOnce, endWhole } from '../../runtime/connections/whole-answer.ts';
import { ensureCertificates } from '../../runtime/server/certificates/certificates.ts';
import { listen } from '../../runtime/server/listener/listen.ts';

interface Case {
  readonly body: Buffer | string;
  readonly status?: number;
  /** beside the type and the length */
  readonly headers?: Readonly<Record<string, string | string[]>>;
  /** how the request begins; default `GET /NAME HTTP/1.1` */
  readonly line?: string;
  /** further lines of the request */
  readonly lines?: readonly string[];
}

const MEBIBYTE = 1024 * 1024;
const cases: Readonly<Record<string, Case>> = {
  bytes: { body: Buffer.from('{"kind":"Pod"}\n') },
  text: { body: '{"kind":"Pod"}\n' },
  umlauts: { body: 'zwölf Häuser, 家' },
  zeros: { body: Buffer.alloc(1_000) },
  'a-refusal': { body: 'no', status: 429, headers: { 'retry-after': '1' } },
  'an-unknown-status': { body: 'no', status: 599 },
  'several-headers': { body: 'x', headers: { 'audit-id': 'a', warning: ['299 - "one"', '299 - "two"'], vary: 'Accept' } },
  'another-type-before': { body: 'x', headers: { 'content-type': 'text/html', 'content-length': '70' } },
  'a-line': { body: Buffer.from('{"kind":"Pod"}\n') },
  nothing: { body: '' },
  'much-text': { body: 'ä'.repeat(MEBIBYTE) },
  'many-bytes': { body: Buffer.alloc(MEBIBYTE, 7) },
  'just-fits': { body: Buffer.alloc(64 * 1024, 7) },
  'does-not-fit': { body: Buffer.alloc(64 * 1024 + 1, 7) },
  'a-head': { body: 'xyz', line: 'HEAD /a-head HTTP/1.1' },
  'the-last': { body: 'xyz', lines: ['Connection: close'] },
  'the-last-by-the-server': { body: 'xyz', headers: { connection: 'close' } },
  'an-old-client': { body: 'xyz', line: 'GET /an-old-client HTTP/1.0' },
  'an-old-client-that-stays': { body: 'xyz', line: 'GET /an-old-client-that-stays HTTP/1.0', lines: ['Connection: keep-alive'] },
  'without-a-body-by-its-status': { body: 'xyz', status: 204 },
  'a-body-that-is-not-invited': {
    body: 'xyz',
    status: 403,
    line: 'POST /a-body-that-is-not-invited HTTP/1.1',
    lines: ['Expect: 100-continue', 'Content-Length: 400'],
  },
  'an-expectation-without-a-body': { body: 'xyz', lines: ['Expect: 100-continue'] },
  'with-a-body': { body: 'xyz', line: 'POST /with-a-body HTTP/1.1', lines: ['Content-Length: 4'] },
};

const folder = mkdtempSync(path.join(tmpdir(), 'whole-answer-'));
const certificates = await ensureCertificates({ folder, names: ['127.0.0.1'], administrator: 'admin' });
const tls = { ...certificates.serving, clientAuthorities: [certificates.clientAuthority] };
/** of answers that have ended, by path: whether they were finished then */
const ended = new Map<string, boolean>();

function sizeOf(body: Buffer | string): number {
  return Buffer.byteLength(body);
}

function serve(end: (response: ServerResponse, type: string, body: Buffer | string) => void) {
  const handler = ({ url = '' }: IncomingMessage, response: ServerResponse): void => {
    const { body, status = 200, headers = {} } = cases[url.slice(1)] as Case;
    response.on('close', () => ended.set(url, response.writableFinished));
    setStatus(response, status);
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
    end(response, 'application/json', body);
  };
  return listen({ handler, tls, address: '127.0.0.1', port: 0 });
}

const ours = await serve((response, type, body) => {
  if (response.req.url !== '/a-line') return endWhole(response, type, body, sizeOf(body));
  // what it ends with is left to it
  endAtOnce(response, type, body.slice(0, -1), sizeOf(body));
});
const nodes = await serve((response, type, body) => {
  response.setHeader('content-type', type);
  response.setHeader('content-length', sizeOf(body));
  response.end(body);
});

const test = suite('whole answers');
test.after(async () => {
  await ours.close(0);
  await nodes.close(0);
  rmSync(folder, { recursive: true });
});

interface Answer {
  readonly line: string;
  readonly headers: readonly string[];
  readonly body: Buffer;
}

/** One answer of a connection. */
function readAnswer(socket: TLSSocket, hasBody: boolean): Promise<Answer> {
  return new Promise((resolve, reject) => {
    let bytes = Buffer.alloc(0);
    const read = (chunk: Buffer): void => {
      bytes = Buffer.concat([bytes, chunk]);
      const end = bytes.indexOf('\r\n\r\n');
      if (end < 0) return;
      const [line = '', ...headers] = bytes.subarray(0, end).toString('latin1').split('\r\n');
      const length = Number(/^content-length: (\d+)$/im.exec(headers.join('\n'))?.[1] ?? 0);
      const body = bytes.subarray(end + 4);
      if (hasBody && body.length < length) return;
      socket.off('data', read);
      resolve({ line, headers: headers.map(comparable).sort(), body });
    };
    socket.on('data', read);
    socket.once('error', reject);
  });
}

/** Names in small letters, and no time. */
function comparable(header: string): string {
  const colon = header.indexOf(':');
  const name = header.slice(0, colon).toLowerCase();
  return name === 'date' ? `date:${Number.isNaN(Date.parse(header.slice(colon + 1)))}` : `${name}:${header.slice(colon + 1)}`;
}

function requestText(name: string, { line, lines = [] }: Case): string {
  const body = lines.includes('Content-Length: 4') ? 'four' : '';
  return `${[line ?? `GET /${name} HTTP/1.1`, 'Host: x', ...lines].join('\r\n')}\r\n\r\n${body}`;
}

async function open(port: number): Promise<TLSSocket> {
  const socket = connect({ ca: certificates.authority, host: '127.0.0.1', port });
  await once(socket, 'secureConnect');
  return socket;
}

async function ask(port: number, name: string): Promise<Answer & { readonly closes: boolean }> {
  const asked = cases[name] as Case;
  const socket = await open(port);
  socket.write(requestText(name, asked));
  const answer = await readAnswer(socket, asked.line?.startsWith('HEAD') !== true && asked.status !== 204);
  const closed = once(socket, 'end').then(() => true);
  // a connection that is kept answers once more
  const kept = readAnswer(socket, true).then(() => false);
  kept.catch(() => {});
  socket.write('GET /bytes HTTP/1.1\r\nHost: x\r\n\r\n');
  const closes = await Promise.race([closed, kept]);
  socket.destroy();
  return { ...answer, closes };
}

for (const name of Object.keys(cases))
  test(`of the case ${name}`, async () => {
    const expected = await ask(nodes.port, name);
    ended.clear();
    assert.equal(await ask(ours.port, name), expected);
    assert.is(ended.get(`/${name}`), true, 'the answer has ended');
  });

test('requests that come at once are answered one after the other', async () => {
  const socket = await open(ours.port);
  const names = ['bytes', 'umlauts', 'many-bytes', 'text', 'nothing', 'bytes'];
  socket.write(names.map((name) => requestText(name, cases[name] as Case)).join(''));
  const bodies = names.map((name) => Buffer.from((cases[name] as Case).body));
  const expected = bodies.reduce((sum, { length }) => sum + length, 0);
  const chunks: Buffer[] = [];
  for await (const chunk of socket) {
    chunks.push(chunk);
    const text = Buffer.concat(chunks);
    const heads = [...text.toString('latin1').matchAll(/HTTP\/1\.1 200 OK\r\n(?:.+\r\n)+\r\n/g)];
    const size = heads.reduce((sum, [head]) => sum + head.length, 0);
    if (heads.length < names.length || text.length < size + expected) continue;
    const found = heads.map(({ index, 0: head }, place) => text.subarray(index + head.length, heads[place + 1]?.index ?? text.length));
    assert.ok(found.every((body, place) => body.equals(bodies[place] as Buffer)));
    break;
  }
  socket.destroy();
});

test('on HTTP/2 as ever', async () => {
  const session = connectHttp2(`https://127.0.0.1:${ours.port}`, { ca: certificates.authority });
  const stream = session.request({ ':path': '/umlauts' });
  const [headers] = await once(stream, 'response');
  let body = '';
  for await (const chunk of stream.setEncoding('utf8')) body += chunk;
  assert.is(body, cases.umlauts?.body);
  assert.is(headers['content-type'], 'application/json');
  session.close();
});

test.run();
