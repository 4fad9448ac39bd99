/** Passes a backend's answer on to the client. */
import type { IncomingMessage } from 'node:http';
import { pipeline, type Readable } from 'node:stream';
import { createGunzip, createGzip } from 'node:zlib';
import type { Context } from 'koa';
import { answerOf } from '../connections/client-answer.ts';
import type { Answer } from './exchange.ts';
import { answerHeaders } from './headers.ts';
import { pageLinks, type Relink } from './page-links.ts';
import { failureText } from './relay-request.ts';
import { join } from './tunnel.ts';

export interface RelayOptions {
  /** whether headers are passed on that let other origins read the answer */
  readonly crossOrigin: boolean;
  /** rewrites the backend's links: the `Location` header, or without one the links of an HTML page */
  readonly relink?: Relink;
}

/** Passes on the head, and the body as it comes. @throws Error for a head that cannot be sent */
export function relayAnswer(context: Context, { head }: Answer, options: RelayOptions): void {
  const relink = isPage(head) ? options.relink : undefined;
  try {
    setHeaders(context, head, options, relink === undefined ? NOTHING : LENGTH);
    const hasBody = context.req.method !== 'HEAD' && !BODILESS.has(head.statusCode as number);
    if (hasBody) passTrailers(context, head);
    answerOf(context).pipe(head.statusCode as number, relink !== undefined && hasBody ? relinked(head, relink) : head);
  } catch (error) {
    head.destroy();
    throw error;
  }
}

/** Passes on trailers. Only a body in chunks can have them, and HTTP/1.0 has no chunks. */
function passTrailers({ req: request, res: response }: Context, head: IncomingMessage): void {
  if (head.headers['transfer-encoding'] === undefined || request.httpVersion === '1.0') return;
  const { trailer: announced } = head.headers;
  if (announced !== undefined) response.setHeader('Trailer', announced);
  head.once('end', () => {
    const trailers: Record<string, string[]> = {};
    for (const [name, value] of answerHeaders(head.rawTrailers, { crossOrigin: false }))
      trailers[name.toLowerCase()] = [...(trailers[name.toLowerCase()] ?? []), value];
    response.addTrailers(trailers);
  });
}

const BODILESS: ReadonlySet<number> = new Set([204, 304]);
/** Headers that no longer hold when the body was rewritten. */
const LENGTH: ReadonlySet<string> = new Set(['content-length']);
const NOTHING: ReadonlySet<string> = new Set();

/** Content encodings of pages whose links are rewritten. (`deflate` is not among them, because servers use two different formats by that name.) */
const READABLE: ReadonlySet<string> = new Set(['', 'gzip']);

/** Whether the answer is an HTML page whose links are rewritten. The page of a redirect is not: browsers follow its `Location`. */
function isPage({ headers }: IncomingMessage): boolean {
  const [type = ''] = (headers['content-type'] ?? '').split(';');
  return type.trim() === 'text/html' && READABLE.has(headers['content-encoding'] ?? '') && (headers.location ?? '') === '';
}

function relinked(head: IncomingMessage, relink: Relink): Readable {
  const links = pageLinks(relink);
  const [first, ...others] = head.headers['content-encoding'] === 'gzip' ? [createGunzip(), links, createGzip()] : [links];
  // an error destroys the last stream, and so the client sees that the body broke off
  return pipeline([head, first as NodeJS.ReadWriteStream, ...others], () => {}) as unknown as Readable;
}

/**
 * Adds the backend's headers to those that the server sets itself, such as `Cache-Control` and warnings (as in 1.32).
 * @param left names, in lower case, of headers that are left out
 * @throws Error for headers that Node accepts from a backend but does not send
 */
function setHeaders(context: Context, head: IncomingMessage, { relink, crossOrigin }: RelayOptions, left: ReadonlySet<string>): void {
  answerOf(context).setUsual();
  const response = context.res;
  const own = response.getHeaders();
  for (const [name, value] of answerHeaders(head.rawHeaders, { crossOrigin })) {
    const lower = name.toLowerCase();
    if (left.has(lower)) continue;
    const shown = lower === 'location' ? (relink?.(value) ?? value) : value;
    if (own[lower] !== shown) response.appendHeader(name, shown);
  }
}

/** Switches the client's connection as the backend has switched its own, and joins them. */
export function relaySwitch(context: Context, { head, switched }: Required<Answer>): void {
  const { socket, head: first } = answerOf(context).switchProtocols();
  const protocol = head.headers.upgrade ?? context.req.headers.upgrade ?? '';
  const lines = answerHeaders(head.rawHeaders, { crossOrigin: true })
    .filter(([name]) => name.toLowerCase() !== 'content-length')
    .map(([name, value]) => `${name}: ${value}\r\n`);
  socket.write(`HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: ${protocol}\r\n${lines.join('')}\r\n`, 'latin1');
  if (switched.rest.length > 0) socket.write(switched.rest);
  if (first.length > 0) switched.socket.write(first);
  void join(socket, switched.socket);
}

/** Most bytes of a backend's error message that are read. */
const MAX_EXPLANATION = 50_000;

/** The body of a backend's answer to a failed request, cut at `MAX_EXPLANATION` bytes; or why it could not be read. */
export async function explanation(answer: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of answer) {
      chunks.push(chunk);
      size += chunk.length;
      if (size >= MAX_EXPLANATION) break;
    }
  } catch (error) {
    return failureText(error);
  }
  return Buffer.concat(chunks).toString('utf8', 0, MAX_EXPLANATION);
}
