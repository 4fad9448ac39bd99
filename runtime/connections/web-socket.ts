/** Answers requests to switch to a WebSocket (RFC 6455). */
import type { IncomingMessage } from 'node:http';
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

/** Switches to a WebSocket. @returns undefined if the request was malformed, in which case the client was told so, or if the client has gone */
export function openWebSocket(server: WebSocketServer, context: Context): Promise<OpenWebSocket | undefined> {
  const opened = Promise.withResolvers<OpenWebSocket | undefined>();
  const socket = switchTo(server, context, opened.resolve);
  // a client that has gone before causes no event any more
  if (socket.closed) opened.resolve(undefined);
  else socket.once('close', () => opened.resolve(undefined));
  return opened.promise;
}

/** The version of the protocol that there is: the library would also take a draft of it, which 1.32 refuses. */
export const WEB_SOCKET_VERSION = '13';
export const VERSION_HEADER = 'Sec-WebSocket-Version';

/**
 * @param opened is called unless the client asked for a switch that is none, which it is told. @param known subprotocols, of which a client that
 * offers any must offer one; absent: all. @returns the connection
 */
export function switchTo(
  server: WebSocketServer,
  context: Context,
  opened: (open: OpenWebSocket) => void,
  known?: readonly string[],
): Duplex {
  const { socket, head } = answerOf(context).switchProtocols();
  const refusal = refusalOf(context.req, known);
  if (refusal === undefined) server.handleUpgrade(context.req, socket, head, (webSocket) => opened({ webSocket, socket }));
  else refuse(socket, refusal);
  return socket;
}

/** The whole answer to a handshake that is refused, exactly as 1.32 writes it, but for the version of HTTP. */
function refusalOf({ method, headers }: IncomingMessage, known: readonly string[] | undefined): string | undefined {
  const { 'sec-websocket-version': version, 'sec-websocket-key': key = '', 'sec-websocket-protocol': offered = '' } = headers;
  if (method !== 'GET') return '405 Method Not Allowed\r\n\r\nbad method';
  if (key === '') return '400 Bad Request\r\n\r\nmismatch challenge/response';
  if (version !== WEB_SOCKET_VERSION)
    return `400 Bad Request\r\n${VERSION_HEADER}: ${WEB_SOCKET_VERSION}\r\n\r\nmissing or bad WebSocket Version`;
  const isKnown = known === undefined || offered === '' || protocolsIn(offered).some((protocol) => known.includes(protocol));
  return isKnown ? undefined : '403 Forbidden\r\n\r\n';
}

function refuse(socket: Duplex, refusal: string): void {
  socket.on('error', () => {});
  socket.end(`HTTP/1.1 ${refusal}`, () => socket.destroy());
}
