/** A backend's answer on its way to the client. */
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
  /** passes on headers that let other origins read the answer */
  readonly crossOrigin: boolean;
  /** of the backend's links: where the answer leads, or else those of a page */
  readonly relink?: Relink;
}

/** Sends the answer on, with its body as it comes. @throws Error for a head that cannot be sent */
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

/** What the backend says behind its body. Only chunks have room for that: to HTTP/1.0 nothing can be said there. */
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
/** Headers that say something of the body which no longer holds. */
const LENGTH: ReadonlySet<string> = new Set(['content-length']);
const NOTHING: ReadonlySet<string> = new Set();

/** Encodings in which links can be found. (What `deflate` means is not sure: servers have two forms of it.) */
const READABLE: ReadonlySet<string> = new Set(['', 'gzip']);

/** A page of HTML whose links can be found. Who follows where an answer leads looks at no page. */
function isPage({ headers }: IncomingMessage): boolean {
  const [type = ''] = (headers['content-type'] ?? '').split(';');
  return type.trim() === 'text/html' && READABLE.has(headers['content-encoding'] ?? '') && (headers.location ?? '') === '';
}

function relinked(head: IncomingMessage, relink: Relink): Readable {
  const links = pageLinks(relink);
  const [first, ...others] = head.headers['content-encoding'] === 'gzip' ? [createGunzip(), links, createGzip()] : [links];
  // what breaks off destroys the last one, which tells the client
  return pipeline([head, first as NodeJS.ReadWriteStream, ...others], () => {}) as unknown as Readable;
}

/**
 * What the server says itself stays besides what the backend says, as in 1.32: that nobody may keep the answer, and warnings.
 * @param left out
 * @throws Error for what Node takes from a backend but does not send itself
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

/** Bytes of a backend's explanation that are read. */
const MAX_EXPLANATION = 50_000;

/** What a backend says of a failure, as far as that is of use. */
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
