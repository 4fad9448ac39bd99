/**
 * Which headers are passed on between client and backend. Headers about one connection stay here, and so do credentials. (Authentication removes the
 * headers that it has acted upon. They are named here too, for requests that were authenticated in another way.)
 */
import type { IncomingMessage } from 'node:http';

/** Names and values in turn, as `rawHeaders` has them. */
export type RawHeaders = readonly string[];

/** Headers about one connection (RFC 9110 section 7.6.1), besides those that `Connection` names. */
const CONNECTION_HEADERS = new Set([
  'connection',
  'http2-settings',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** Headers that the server sets itself, or has acted upon. */
const ANSWERED_HERE = new Set(['authorization', 'content-length', 'expect', 'host']);

/** Begins the names of headers with which a client acts as another user. */
const IMPERSONATION = 'impersonate-';

/** Begins a WebSocket subprotocol that holds a bearer token. Browsers send tokens so, because they cannot set headers of a WebSocket. */
const BEARER_PROTOCOL = 'base64url.bearer.authorization.';

/** The client's headers for a backend, with `Host` first, and without those of framing, which the caller adds. */
export function requestHeaders(request: IncomingMessage): string[] {
  const dropped = namedByConnection(request.rawHeaders);
  const headers: string[] = ['Host', request.headers.host ?? (request.headers[':authority'] as string | undefined) ?? ''];
  let forwardedFor: string[] = [];
  const cookies: string[] = [];
  for (const [name, value] of pairs(request.rawHeaders)) {
    const lower = name.toLowerCase();
    if (lower === 'te') addTrailersTaken(headers, value);
    else if (lower === 'x-forwarded-for') forwardedFor = [...forwardedFor, value];
    else if (lower === 'cookie' && request.httpVersionMajor > 1) cookies.push(value);
    else if (lower === 'sec-websocket-protocol') addProtocols(headers, name, value);
    else if (!isWithheld(lower, dropped)) headers.push(name, value);
  }
  // on HTTP/2 each may stand by itself; on HTTP/1.1 there is one header for all (RFC 9113 section 8.2.3)
  if (cookies.length > 0) headers.push('Cookie', cookies.join('; '));
  const address = request.socket.remoteAddress;
  if (address !== undefined) forwardedFor = [...forwardedFor, address.replace(/^::ffff:/, '')];
  if (forwardedFor.length > 0) headers.push('X-Forwarded-For', forwardedFor.join(', '));
  return headers;
}

function isWithheld(name: string, dropped: ReadonlySet<string>): boolean {
  return (
    name.startsWith(':') || CONNECTION_HEADERS.has(name) || ANSWERED_HERE.has(name) || name.startsWith(IMPERSONATION) || dropped.has(name)
  );
}

/** Passes on that the client takes trailers, because trailers are passed on, too. Other values of `TE` are about the client's connection. */
function addTrailersTaken(headers: string[], value: string): void {
  const codings = value.split(',').map((coding) => coding.trim().toLowerCase());
  if (codings.includes('trailers') && !headers.includes('TE')) headers.push('TE', 'trailers');
}

function addProtocols(headers: string[], name: string, value: string): void {
  const kept = value
    .split(',')
    .map((protocol) => protocol.trim())
    .filter((protocol) => protocol !== '' && !protocol.startsWith(BEARER_PROTOCOL));
  if (kept.length > 0) headers.push(name, kept.join(', '));
}

/** Sets a header in place of those of that name. */
export function withHeader(headers: RawHeaders, name: string, value: string): string[] {
  const lower = name.toLowerCase();
  return [...headers.filter((_, at) => headers[at - (at % 2)]?.toLowerCase() !== lower), name, value];
}

/** Backends set these for browsers that talk to them directly. Passed on, they would allow other origins access to this server. */
const CROSS_ORIGIN = new Set([
  'access-control-allow-credentials',
  'access-control-allow-headers',
  'access-control-allow-methods',
  'access-control-allow-origin',
]);

/** A backend's headers for the client. */
export function answerHeaders(raw: RawHeaders, options: { readonly crossOrigin: boolean }): [name: string, value: string][] {
  const dropped = namedByConnection(raw);
  return [...pairs(raw)].filter(([name]) => {
    const lower = name.toLowerCase();
    if (!options.crossOrigin && CROSS_ORIGIN.has(lower)) return false;
    return !CONNECTION_HEADERS.has(lower) && !dropped.has(lower);
  });
}

function namedByConnection(raw: RawHeaders): Set<string> {
  const names = new Set<string>();
  for (const [name, value] of pairs(raw))
    if (name.toLowerCase() === 'connection') for (const option of value.split(',')) names.add(option.trim().toLowerCase());
  return names;
}

function* pairs(raw: RawHeaders): Generator<[name: string, value: string]> {
  for (let at = 0; at + 1 < raw.length; at += 2) yield [raw[at] as string, raw[at + 1] as string];
}
