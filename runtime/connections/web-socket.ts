/** Answers requests to switch to a WebSocket (RFC 6455). */
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Context } from 'koa';
import type { WebSocket, WebSocketServer } from 'ws';
import { answerOf } from './client-answer.ts';
import { upgradeProtocol } from './upgrade.ts';

/** The subprotocols that a client offers, most wanted first; none where it asks for no WebSocket. */
export function offeredProtocols(request: IncomingMessage): string[] {
  if (upgradeProtocol(request) !== 'websocket') return [];
  return protocolsIn(request.headers['sec-websocket-protocol'] ?? '');
}

const protocolsIn = (header: string): string[] => header.split(',').map((protocol) => protocol.trim());

export interface OpenWebSocket {
  readonly webSocket: WebSocket;
  /** below it */
  readonly socket: Duplex;
}

/** Looks at the headers of a handshake that is right by itself. @returns the answer where it is refused, from its status line on; else undefined */
export type HandshakeRule = (headers: IncomingHttpHeaders) => string | undefined;

/** @returns a rule that refuses who offers subprotocols, but none of these */
export const offeringOneOf =
  (known: readonly string[]): HandshakeRule =>
  ({ 'sec-websocket-protocol': offered = '' }) =>
    offered === '' || protocolsIn(offered).some((protocol) => known.includes(protocol)) ? undefined : '403 Forbidden\r\n\r\n';

/** How `url.ParseRequestURI` of Go takes the start of an origin: an asterisk, a path, or a scheme. */
const ORIGIN = /^(?:\*$|\/|[a-z][a-z0-9+.-]*:)/i;

/** The rule of 1.32 for watches: pages of a browser say where they are from, and offer one subprotocol at most. */
export const fromOnePage: HandshakeRule = ({ origin = '', 'sec-websocket-protocol': offered = '' }) => {
  if (!ORIGIN.test(origin)) return '403 Forbidden\r\n\r\n';
  return protocolsIn(offered).length > 1 ? '400 Bad Request\r\n\r\n' : undefined;
};

/**
 * Switches to a WebSocket. @param rule absent: any handshake that is right by itself is taken
 * @returns undefined if the handshake was refused, in which case the client was told so, or if the client has gone
 */
export function openWebSocket(server: WebSocketServer, context: Context, rule?: HandshakeRule): Promise<OpenWebSocket | undefined> {
  const opened = Promise.withResolvers<OpenWebSocket | undefined>();
  const socket = switchTo(server, context, opened.resolve, rule);
  // a client that has gone before causes no event any more
  if (socket.closed) opened.resolve(undefined);
  else socket.once('close', () => opened.resolve(undefined));
  return opened.promise;
}

/** The version of the protocol that there is: the library would also take a draft of it, which 1.32 refuses. */
export const WEB_SOCKET_VERSION = '13';
export const VERSION_HEADER = 'Sec-WebSocket-Version';

/** @param opened is called unless the handshake is refused, which the client is told. @param rule as of `openWebSocket`. @returns the connection */
export function switchTo(server: WebSocketServer, context: Context, opened: (open: OpenWebSocket) => void, rule?: HandshakeRule): Duplex {
  const { socket, head } = answerOf(context).switchProtocols();
  const refusal = refusalOf(context.req) ?? rule?.(context.req.headers);
  if (refusal === undefined) server.handleUpgrade(context.req, socket, head, (webSocket) => opened({ webSocket, socket }));
  else refuse(socket, refusal);
  return socket;
}

/** The whole answer to a handshake that is refused, exactly as 1.32 writes it, but for the version of HTTP. */
function refusalOf({ method, headers }: IncomingMessage): string | undefined {
  const { 'sec-websocket-version': version, 'sec-websocket-key': key = '' } = headers;
  if (method !== 'GET') return '405 Method Not Allowed\r\n\r\nbad method';
  if (key === '') return '400 Bad Request\r\n\r\nmismatch challenge/response';
  if (version !== WEB_SOCKET_VERSION)
    return `400 Bad Request\r\n${VERSION_HEADER}: ${WEB_SOCKET_VERSION}\r\n\r\nmissing or bad WebSocket Version`;
  return undefined;
}

function refuse(socket: Duplex, refusal: string): void {
  socket.on('error', () => {});
  socket.end(`HTTP/1.1 ${refusal}`, () => socket.destroy());
}
