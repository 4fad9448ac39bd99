/** Reads bearer tokens from the Authorization header, or from a subprotocol of a WebSocket, since browsers cannot set its headers. */
import type { IncomingMessage } from 'node:http';
import { connectionOf } from '../connections/connection-of.ts';
import { headerText } from '../connections/header-text.ts';
import { type Outcome, Refusal } from './outcome.ts';
import { removeAuthorization, removeHeaders } from './request-headers.ts';

/** Warning for clients whose header is ignored, worded as in 1.32. */
const EXTRA_SPACE = 'the provided Authorization header contains extra space before the bearer token, and is ignored';

/**
 * The token in a value such as `Bearer TOKEN`. A space ends the token, and what follows is ignored.
 * @param warn gets warnings for the client
 */
export function bearerToken(authorization: string | undefined, warn: (text: string) => void): string | undefined {
  if (authorization === undefined) return undefined;
  const [scheme = '', token, rest] = authorization.trim().split(' ', 3);
  if (token === undefined || scheme.toLowerCase() !== 'bearer') return undefined;
  if (token !== '') return token;
  if (rest !== undefined) warn(EXTRA_SPACE);
  return undefined;
}

/** The last header of each connection with its token, because later requests usually have the same header. */
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
/** Begins the WebSocket subprotocol that holds the token in base64url. */
const PREFIX = 'base64url.bearer.authorization.${groupDomain}.';

/** @param text resolves identity placeholders. @returns undefined if the request is not for a WebSocket, or has no token */
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

/** Removes tokens from a request, so that nothing behind authentication can read them or pass them on. */
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
