/** Where a request carries a bearer token: the Authorization header, or a subprotocol of a WebSocket, whose browsers can set no header. */
import type { IncomingMessage } from 'node:http';
import { connectionOf } from '../connections/connection-of.ts';
import { headerText } from '../connections/header-text.ts';
import { type Outcome, Refusal } from './outcome.ts';
import { removeAuthorization, removeHeaders } from './request-headers.ts';

/** What clients are told whose header is ignored; the words of 1.32. */
const EXTRA_SPACE = 'the provided Authorization header contains extra space before the bearer token, and is ignored';

/**
 * The token of a value such as `Bearer TOKEN`; what follows a space behind it does not count.
 * @param warn gets what the client did wrong
 */
export function bearerToken(authorization: string | undefined, warn: (text: string) => void): string | undefined {
  if (authorization === undefined) return undefined;
  const [scheme = '', token, rest] = authorization.trim().split(' ', 3);
  if (token === undefined || scheme.toLowerCase() !== 'bearer') return undefined;
  if (token !== '') return token;
  if (rest !== undefined) warn(EXTRA_SPACE);
  return undefined;
}

/** Of the last request of each connection that brought one: those that follow bring the same, as a rule. */
const known = new WeakMap<object, { readonly authorization: string; readonly token: string }>();

/** The token of the Authorization header. @param warn as of `bearerToken` */
export function headerToken(request: Pick<IncomingMessage, 'headers' | 'socket'>, warn: (text: string) => void): string | undefined {
  const { authorization } = request.headers;
  if (authorization === undefined) return undefined;
  const connection = connectionOf(request);
  const last = known.get(connection);
  if (last?.authorization === authorization) return last.token;
  const token = bearerToken(headerText(authorization), warn);
  if (token !== undefined) known.set(connection, { authorization, token });
  return token;
}

const PROTOCOLS = 'sec-websocket-protocol';
/** Precedes the token in base64url among a WebSocket's subprotocols. */
const PREFIX = 'base64url.bearer.authorization.${groupDomain}.';

/** @param text resolves identity placeholders. @returns undefined for a request that is no WebSocket's or brings no token */
export function webSocketToken(request: IncomingMessage, text: (template: string) => string): Outcome<string> {
  const { upgrade, [PROTOCOLS]: sent } = request.headers;
  if (sent === undefined || upgrade?.toLowerCase() !== 'websocket') return undefined;
  const prefix = text(PREFIX);
  const [tokens, others] = partition(sent, prefix);
  if (tokens.length > 1) return new Refusal('several subprotocols hold a token');
  const [encoded = ''] = tokens;
  if (encoded === '') return undefined;
  if (!/^[\w-]+$/.test(encoded)) return new Refusal('the subprotocol is not in base64url');
  if (others.length === 0) return new Refusal('there is no subprotocol besides the token');
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(encoded, 'base64url'));
  } catch {
    return new Refusal('the token of the subprotocol is not UTF-8');
  }
}

function partition(header: string, prefix: string): [tokens: string[], others: string[]] {
  const tokens: string[] = [];
  const others: string[] = [];
  for (const protocol of header.split(',').map((each) => each.trim()))
    if (protocol.startsWith(prefix)) tokens.push(protocol.slice(prefix.length));
    else others.push(protocol);
  return [tokens, others];
}

/** Takes what authenticated a request out of it: nothing behind authentication reads it or hands it on. */
export function removeTokens(request: IncomingMessage, text: (template: string) => string): void {
  if (request.headers.authorization !== undefined) removeAuthorization(request);
  const sent = request.headers[PROTOCOLS];
  if (sent === undefined) return;
  const [tokens, others] = partition(sent, text(PREFIX));
  if (tokens.length === 0) return;
  removeHeaders(request, (name) => name === PROTOCOLS);
  request.headers[PROTOCOLS] = others.join(',');
  request.rawHeaders.push(PROTOCOLS, others.join(','));
}
