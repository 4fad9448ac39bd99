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
  return (request.headers['sec-websocket-protocol'] ?? '').split(',').map((protocol) => protocol.trim());
}

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

/** @param opened is called unless the client asked for a switch that is none, which it is told. @returns the connection */
export function switchTo(server: WebSocketServer, context: Context, opened: (open: OpenWebSocket) => void): Duplex {
  const { socket, head } = answerOf(context).switchProtocols();
  const { 'sec-websocket-version': version, 'sec-websocket-key': key = '' } = context.req.headers;
  if (version === WEB_SOCKET_VERSION || key === '')
    server.handleUpgrade(context.req, socket, head, (webSocket) => opened({ webSocket, socket }));
  else refuse(socket);
  return socket;
}

/** The whole refusal, exactly as 1.32 writes it. */
const REFUSAL = `HTTP/1.1 400 Bad Request\r\n${VERSION_HEADER}: ${WEB_SOCKET_VERSION}\r\n\r\nmissing or bad WebSocket Version`;

function refuse(socket: Duplex): void {
  socket.on('error', () => {});
  socket.end(REFUSAL, () => socket.destroy());
}
