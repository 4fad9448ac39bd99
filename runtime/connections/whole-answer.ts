/**
 * Answers that are there as a whole leave in one write. Node hands the head and the body of an answer to TLS as two pieces, which costs a small get
 * a tenth of its time; in one buffer they are one.
 */
import type { ServerResponse } from 'node:http';
import { answerBursts } from './answer-bursts.ts';
import { reasonPhrase } from './reason-phrase.ts';
import { setLines } from './usual-headers.ts';

// An import would load all that the module exports (see upgrade.ts).
const { ServerResponse: PlainResponse } = process.getBuiltinModule('node:http');

/** Bytes; what copying a longer body takes is no longer less than what it saves. */
const MOST = 64 * 1024;
const SECOND = 1_000;
export const LINE_FEED = 0x0a;

/** Node's own marks of an answer of HTTP/1.1: by these it knows that a head is there and gone, and what is promised to its connection. */
interface NodesMarks {
  _header: string;
  _headerSent: boolean;
  readonly _keepAliveTimeout: number;
}

/**
 * Ends an answer, whose status and other headers are set.
 * @param size of the body, in bytes. @param usual lines of further headers
 * @returns what leaves, with a copy of the body at its end; undefined where Node has got the body itself
 */
export function endWhole(
  response: ServerResponse,
  contentType: string,
  body: Buffer | string,
  size: number,
  usual = '',
): Buffer | undefined {
  if (leavesAtOnce(response, size)) return endAtOnce(response, contentType, body, size, usual);
  setLines(response, usual);
  response.setHeader('content-type', contentType);
  response.setHeader('content-length', size);
  response.end(body);
  return undefined;
}

/** The status codes of answers without a body (RFC 9110, section 6.4.1). */
const BODILESS: ReadonlySet<number> = new Set([204, 304]);

/**
 * Whether nothing about an answer is out of the ordinary. An answer on HTTP/2 is of another class. A client that waits to be asked for its body
 * may send it or not once it is refused: only the end of the connection is clear to both sides, which Node sees to.
 * @param size of its body, in bytes
 */
export function leavesAtOnce(response: ServerResponse, size: number): boolean {
  if (size === 0 || size > MOST || !(response instanceof PlainResponse)) return false;
  const { method, headers } = response.req;
  const isUsual = method !== 'HEAD' && headers.expect === undefined && !BODILESS.has(response.statusCode);
  return isUsual && response.shouldKeepAlive && !response.headersSent && !response.hasHeader('connection');
}

/**
 * Ends an answer that `leavesAtOnce`, whose status and other headers are set, soon (answer-bursts.ts). Copies the body at once.
 * @param size of the body, in bytes; one more than there are ends it with a line feed
 * @param usual lines of further headers
 * @returns what leaves, with the body at its end. Nobody may change it
 */
export function endAtOnce(response: ServerResponse, contentType: string, body: Buffer | string, size: number, usual = ''): Buffer {
  const head = headOf(response, contentType, size, usual);
  const whole = Buffer.allocUnsafe(head.length + size);
  whole[whole.length - 1] = LINE_FEED;
  whole.write(head, 0, 'latin1');
  if (typeof body === 'string') whole.write(body, head.length);
  else body.copy(whole, head.length);
  const marks = response as unknown as NodesMarks;
  marks._header = head;
  marks._headerSent = true;
  answerBursts.end(response, whole);
  return whole;
}

/** What Node would write. Who set a header has seen to it that it may stand in a head, content types are ours. */
function headOf(response: ServerResponse, contentType: string, size: number, usual: string): string {
  const { statusCode } = response;
  const kept = keptAlive((response as unknown as NodesMarks)._keepAliveTimeout);
  return `HTTP/1.1 ${statusCode} ${reasonPhrase(statusCode)}\r\n${headerLines(response, usual)}content-type: ${contentType}\r\ncontent-length: ${size}\r\nDate: ${now()}\r\n${kept}`;
}

/** All headers but those that the body has. */
function headerLines(response: ServerResponse, usual: string): string {
  if (!hasHeaders(response)) return usual;
  setLines(response, usual);
  const headers = response.getHeaders();
  let lines = '';
  for (const name in headers) {
    if (name === 'content-type' || name === 'content-length') continue;
    const value = headers[name];
    if (Array.isArray(value)) for (const each of value) lines += `${name}: ${each}\r\n`;
    else lines += `${name}: ${value}\r\n`;
  }
  return lines;
}

function hasHeaders(response: ServerResponse): boolean {
  for (const _name in response.getHeaders()) return true;
  return false;
}

let second = 0;
let date = '';

/** Returns the current time in the form of headers (RFC 9110, section 5.6.7). The text is made once a second. */
function now(): string {
  const current = Math.floor(Date.now() / SECOND);
  if (current !== second) {
    second = current;
    date = new Date(current * SECOND).toUTCString();
  }
  return date;
}

let promised = 0;
let promise = '';

/** The end of a head, with the time for which its connection is kept. @param timeout milliseconds */
function keptAlive(timeout: number): string {
  if (timeout !== promised || promise === '') {
    promised = timeout;
    const hint = timeout > 0 ? `Keep-Alive: timeout=${Math.floor(timeout / SECOND)}\r\n` : '';
    promise = `Connection: keep-alive\r\n${hint}\r\n`;
  }
  return promise;
}
