/** Passes a backend's answer on to the client. */
import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import type { Context } from 'koa';
import { answerOf } from '../connections/client-answer.ts';
import type { Answer } from './exchange.ts';
import { answerHeaders } from './headers.ts';
import type { Relink } from './page-links.ts';
import { failureText } from './relay-request.ts';
import { leftWithoutBody, type RelayedBody, relayedBody } from './relayed-body.ts';
import { join } from './tunnel.ts';

export interface RelayOptions {
  /** whether headers are passed on that let other origins read the answer */
  readonly crossOrigin: boolean;
  /** rewrites the backend's links: the `Location` header, or without one the links of an HTML page */
  readonly relink?: Relink;
}

/** Passes on the head, and the body as it comes. @throws Error for a head that cannot be sent */
export async function relayAnswer(context: Context, { head }: Answer, options: RelayOptions): Promise<void> {
  try {
    const hasBody = context.req.method !== 'HEAD' && !BODILESS.has(head.statusCode as number);
    const { source, type, left }: RelayedBody = hasBody
      ? await relayedBody(context.req, head, options.relink)
      : { source: head, left: leftWithoutBody(head, options.relink) };
    if (isGone(context, source)) return void head.destroy();
    setHeaders(context, head, options, left);
    if (type !== undefined) context.res.setHeader('content-type', type);
    if (hasBody) passTrailers(context, head);
    answerOf(context).pipe(head.statusCode as number, source);
  } catch (error) {
    head.destroy();
    throw error;
  }
}

/** Whether meanwhile the request's time was over, or the answer broke off before anything of it came, which the client is told by its connection. */
function isGone(context: Context, source: Readable): boolean {
  const answer = answerOf(context);
  if (!answer.hasBegun && source.destroyed) answer.break();
  return answer.hasBegun || source.destroyed;
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

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** Where an answer sends who asked, which this server does not follow. @returns undefined for other answers */
export function redirection({ statusCode = 0, headers }: IncomingMessage): string | undefined {
  return REDIRECTS.has(statusCode) ? headers.location || undefined : undefined;
}

/**
 * The body of a backend's answer to a failed request, cut at `MAX_EXPLANATION` bytes.
 * @param unread says that it could not be read
 */
export async function explanation(answer: IncomingMessage, unread: (error: unknown) => string = failureText): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of answer) {
      chunks.push(chunk);
      size += chunk.length;
      if (size >= MAX_EXPLANATION) break;
    }
  } catch (error) {
    return unread(error);
  }
  return Buffer.concat(chunks).toString('utf8', 0, MAX_EXPLANATION);
}
