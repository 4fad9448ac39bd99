/**
 * Headers on their way through: what belongs to one connection goes no further, nor do credentials. (Authentication takes out those that it
 * has acted upon; the names here are for requests that came without.)
 */
import type { IncomingMessage } from 'node:http';

/** Names and values in turn, as `rawHeaders` has them. */
export type RawHeaders = readonly string[];

/** Of one connection alone (RFC 9110 section 7.6.1), besides those that `Connection` names. */
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

/** What the server sets itself, or has acted upon. */
const ANSWERED_HERE = new Set(['authorization', 'content-length', 'expect', 'host']);

/** Headers with which clients act as others. */
const IMPERSONATION = 'impersonate-';

/** A token of a WebSocket client that cannot send headers stands among the protocols. */
const BEARER_PROTOCOL = 'base64url.bearer.authorization.';

/** The client's headers for a backend, `Host` first; framing headers are the caller's. */
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

/** That a client takes trailers goes on, as those do; what else it says there is of its connection. */
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

/** Set by backends for browsers that talk to them; they would speak for this server. */
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
