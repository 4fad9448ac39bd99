/**
 * What a head of HTTP/1.1 has to say before anything is done for its request. Others on the way (proxies, load balancers) read the same bytes:
 * where two readers could take them for different requests nothing is answered but a refusal, and nothing more read (RFC 9112 sections 3.2 and 6.1).
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Http2ServerResponse } from 'node:http2';
import type { Socket } from 'node:net';
import { answerBursts } from '../../connections/answer-bursts.ts';
import { newMethodNotAllowed } from '../../status/status.ts';

/** Matches a host with a port by RFC 3986, section 3.2.2. */
const HOST = /^[\w!$%&'()*+,.:;=[\]~-]*$/;
const TEXT = 'text/plain; charset=utf-8';
const JSON_TEXT = 'application/json';

interface Refusal {
  readonly line: string;
  readonly type: string;
  readonly body: string;
}

const refusal = (line: string, reason = ''): Refusal => ({ line, type: TEXT, body: reason === '' ? line : `${line}: ${reason}` });

const WRONG_VERSION = refusal('505 HTTP Version Not Supported', 'unsupported protocol version');
const NO_HOST = refusal('400 Bad Request', 'missing required Host header');
const MANY_HOSTS = refusal('400 Bad Request', 'too many Host headers');
const BAD_HOST = refusal('400 Bad Request', 'malformed Host header');
const WRONG_CODING = refusal('501 Not Implemented', 'unsupported transfer encoding');

/** Closes the connection of a request on HTTP/1.1 whose head says nothing certain, with an answer. @returns whether it did */
export function refuseHead(request: IncomingMessage, response: ServerResponse): boolean {
  const refused = headRefusal(request);
  if (refused === undefined) return false;
  const code = Number.parseInt(refused.line, 10);
  response.writeHead(code, { 'content-type': refused.type, 'content-length': refused.body.length, connection: 'close' });
  response.end(refused.body);
  return true;
}

/**
 * Answers what is asked of the server itself and of no resource (RFC 9110 section 9.3.7), before anybody is asked who they are, as Go's servers do.
 * @returns whether it did
 */
export function answerForServer({ method, url }: IncomingMessage, response: ServerResponse): boolean {
  if (url !== '*' || method !== 'OPTIONS') return false;
  response.writeHead(200, { 'content-length': 0 });
  response.end();
  return true;
}

function headRefusal({ httpVersion, headers, rawHeaders, method }: IncomingMessage): Refusal | undefined {
  // the parser takes 0.9 and 2.0 as well
  if (httpVersion !== '1.1' && httpVersion !== '1.0') return WRONG_VERSION;
  const { host } = headers;
  if (host === undefined) {
    if (httpVersion === '1.1' && method !== 'CONNECT') return NO_HOST;
  } else if (!HOST.test(host)) return BAD_HOST;
  else if (namesHostAgain(rawHeaders)) return MANY_HOSTS;
  const coding = headers['transfer-encoding'];
  // Bodies in chunks are of HTTP/1.1: what stands before such a request may not know them.
  return coding === undefined || (httpVersion === '1.1' && coding.toLowerCase() === 'chunked') ? undefined : WRONG_CODING;
}

/** @param rawHeaders names and values in turn; Node keeps the first Host alone */
function namesHostAgain(rawHeaders: readonly string[]): boolean {
  let hosts = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] as string;
    if (name.length === 4 && name.toLowerCase() === 'host') hosts++;
  }
  return hosts > 1;
}

const UNREADABLE: Readonly<Record<string, Refusal>> = {
  HPE_HEADER_OVERFLOW: refusal('431 Request Header Fields Too Large'),
  HPE_CHUNK_EXTENSIONS_OVERFLOW: refusal('413 Payload Too Large'),
  ERR_HTTP_REQUEST_TIMEOUT: refusal('408 Request Timeout'),
};
const NO_REQUEST = refusal('400 Bad Request');

/** The parser takes the methods that it has a list of; others are told what a known one is told where nothing serves it. */
const UNKNOWN_METHOD: Refusal = {
  line: '405 Method Not Allowed',
  type: JSON_TEXT,
  body: JSON.stringify(newMethodNotAllowed().status),
};
const REQUEST_LINE = /^[\w!#$%&'*+.^`|~-]+ \S+ HTTP\/1\.[01]\r?$/;
/** Bytes; a longer line is answered as no request at all. */
const MAX_LINE = 8192;

interface ParseError extends NodeJS.ErrnoException {
  readonly bytesParsed?: number;
  readonly rawPacket?: Buffer;
}

/** A connection of HTTP/1.1, with Node's mark of the answer that is on its way. */
type Connection = Socket & { _httpMessage?: { _headerSent: boolean } | null };

/** What came behind a request after which the connection ends: the answer to that request ends it (RFC 9112 section 9.6). */
const BEHIND_THE_LAST = 'HPE_CLOSED_CONNECTION';

/** Calls what ends a connection, when requests that came on it before are answered. */
type AfterAnswers = (connection: Socket, end: () => void) => void;

/** Handles the event `clientError` of a listener: it answers bytes that are no request, unless another answer is on its way, and closes the connection. */
export function answerUnreadable(error: ParseError, connection: Connection, afterAnswers: AfterAnswers): void {
  if (error.code === BEHIND_THE_LAST) return;
  const refusal = isUnknownMethod(error) ? UNKNOWN_METHOD : (UNREADABLE[error.code ?? ''] ?? NO_REQUEST);
  afterAnswers(connection, () => endWith(refusal, connection));
}

/** Handles the event `connect` of a listener: it refuses the method CONNECT. @param answer the response on HTTP/2, the connection on HTTP/1.1 */
export function refuseConnect(answer: Connection | Http2ServerResponse, afterAnswers: AfterAnswers): void {
  if (!('stream' in answer)) return afterAnswers(answer, () => endWith(UNKNOWN_METHOD, answer));
  answer.writeHead(405, { 'content-type': UNKNOWN_METHOD.type, 'content-length': UNKNOWN_METHOD.body.length });
  answer.end(UNKNOWN_METHOD.body);
}

/**
 * Milliseconds for which a client may go on sending behind its refusal, as in Go: where that is unread when the connection is closed, the system takes the
 * refusal back.
 */
const LINGER = 500;
const refused = new WeakSet<Connection>();

/** Nothing more of the connection is looked at; what else comes is thrown away. */
function endWith({ line, type, body }: Refusal, connection: Connection): void {
  // the parser tells of its error again, whatever comes
  if (refused.has(connection)) return;
  refused.add(connection);
  answerBursts.leave();
  if (!connection.writable || connection._httpMessage?._headerSent === true) return void connection.destroy();
  connection.end(`HTTP/1.1 ${line}\r\nContent-Type: ${type}\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`);
  connection.resume();
  const end = setTimeout(() => connection.destroy(), LINGER);
  connection.once('close', () => clearTimeout(end));
}

function isUnknownMethod({ code, bytesParsed, rawPacket }: ParseError): boolean {
  if (code !== 'HPE_INVALID_METHOD' || bytesParsed === undefined || rawPacket === undefined) return false;
  const from = rawPacket.lastIndexOf('\n', bytesParsed) + 1;
  const to = rawPacket.indexOf('\n', from);
  return to >= 0 && to - from <= MAX_LINE && REQUEST_LINE.test(rawPacket.toString('latin1', from, to));
}
