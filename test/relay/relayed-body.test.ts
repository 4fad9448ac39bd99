/** What becomes of a body of a backend, by its headers and those of the request. */
import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { deflateRawSync, deflateSync, gunzipSync, gzipSync, inflateRawSync } from 'node:zlib';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { leftWithoutBody, relayedBody } from '../../runtime/relay/relayed-body.ts';

const test = suite('bodies of backends');
type Headers = Readonly<Record<string, string>>;

const PAGE = '<html><a href="/x">x</a></html>';
const LED = '<html><a href="/proxy/x">x</a></html>';
const relink = (link: string): string => `/proxy${link}`;
const asked = (headers: Headers = {}, method = 'GET') => ({ method, headers }) as unknown as IncomingMessage;
const answered = (headers: Headers, body: Buffer | string) =>
  Object.assign(Readable.from([Buffer.from(body)]), { headers }) as unknown as IncomingMessage;
const identity = (bytes: Buffer): Buffer => bytes;

interface Row {
  readonly name: string;
  readonly request?: Headers;
  readonly headers: Headers;
  readonly body: Buffer | string;
  readonly relinks?: boolean;
  readonly type?: string;
  /** headers that hold no longer */
  readonly left?: readonly string[];
  /** how the client reads it */
  readonly read?: (bytes: Buffer) => Buffer;
  readonly text: string;
}

const html = { 'content-type': 'text/html; charset=utf-8' };
const anyCoding = { 'accept-encoding': 'gzip, deflate' };
const rows: readonly Row[] = [
  { name: 'of a type goes as it is', headers: { 'content-type': 'text/plain' }, body: 'words', text: 'words' },
  { name: 'without a type gets the one of its first bytes', headers: {}, body: '%PDF-1.7', type: 'application/pdf', text: '%PDF-1.7' },
  { name: 'without a type, packed, gets none', request: anyCoding, headers: { 'content-encoding': 'br' }, body: 'x', text: 'x' },
  {
    name: 'packed for this server is unpacked, and its type told by what was packed',
    headers: { 'content-encoding': 'GZIP' },
    body: gzipSync('words'),
    type: 'text/plain; charset=utf-8',
    left: ['content-length', 'content-encoding'],
    text: 'words',
  },
  {
    name: 'packed for the client stays packed',
    request: anyCoding,
    headers: { 'content-encoding': 'gzip', 'content-type': 'text/plain' },
    body: gzipSync('words'),
    read: gunzipSync,
    text: 'words',
  },
  {
    name: 'packed stays packed where the client asks for a part of it',
    request: { range: 'bytes=0-9' },
    headers: { 'content-encoding': 'gzip', 'content-type': 'text/plain' },
    body: gzipSync('words'),
    read: gunzipSync,
    text: 'words',
  },
  { name: 'of a page has its links led', headers: html, body: PAGE, relinks: true, left: ['content-length'], text: LED },
  { name: 'of a page keeps its links where none are to be led', headers: html, body: PAGE, text: PAGE },
  { name: 'of a redirect keeps its links', headers: { ...html, location: '/y' }, body: PAGE, relinks: true, text: PAGE },
  { name: 'of what is no page keeps its links', headers: { 'content-type': 'text/plain' }, body: PAGE, relinks: true, text: PAGE },
  {
    name: 'of a page packed for the client has its links led, and is packed again',
    request: anyCoding,
    headers: { ...html, 'content-encoding': 'gzip' },
    body: gzipSync(PAGE),
    relinks: true,
    left: ['content-length'],
    read: gunzipSync,
    text: LED,
  },
  {
    name: 'of a page packed for this server has its links led',
    headers: { ...html, 'content-encoding': 'gzip' },
    body: gzipSync(PAGE),
    relinks: true,
    left: ['content-length', 'content-encoding'],
    text: LED,
  },
  {
    name: 'of a page in bare deflate has its links led',
    request: anyCoding,
    headers: { ...html, 'content-encoding': 'deflate' },
    body: deflateRawSync(PAGE),
    relinks: true,
    left: ['content-length'],
    read: inflateRawSync,
    text: LED,
  },
  {
    name: 'of a page in deflate with the wrapping of zlib goes as it is',
    request: anyCoding,
    headers: { ...html, 'content-encoding': 'deflate' },
    body: deflateSync(PAGE),
    relinks: true,
    read: (bytes) => inflateRawSync(bytes.subarray(2)),
    text: PAGE,
  },
];

for (const { name, request, headers, body, relinks, type, left = [], read = identity, text } of rows)
  test(`that ${name}`, async () => {
    const found = await relayedBody(asked(request), answered(headers, body), relinks ? relink : undefined);
    assert.is(String(read(await buffer(found.source))), text);
    assert.is(found.type, type);
    assert.equal([...found.left].sort(), [...left].sort());
  });

test('that breaks off breaks off for the client', async () => {
  const head = answered({ 'content-encoding': 'gzip' }, gzipSync('words'.repeat(1_000)).subarray(0, 20));
  const { source } = await relayedBody(asked(), head, undefined);
  assert.instance(await buffer(source).catch((error: unknown) => error), Error);
});

test('of a GET, asked for by HEAD: the length of a page whose links would be led does not hold', () => {
  const about = (headers: Headers) => [...leftWithoutBody({ headers } as unknown as IncomingMessage, relink)];
  assert.equal(about(html), ['content-length']);
  assert.equal(about({ ...html, 'content-encoding': 'gzip' }), ['content-length']);
  assert.equal(about({ ...html, 'content-encoding': 'br' }), []);
  assert.equal(about({ 'content-type': 'text/plain' }), []);
});

test.run();
