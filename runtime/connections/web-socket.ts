/** Requests to switch to a WebSocket (RFC 6455). */
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

/** Switches. @returns undefined where the client asked for a switch that is none, which it has been told, or is gone */
export function openWebSocket(server: WebSocketServer, context: Context): Promise<OpenWebSocket | undefined> {
  const { socket, head } = answerOf(context).switchProtocols();
  const opened = Promise.withResolvers<OpenWebSocket | undefined>();
  socket.once('close', () => opened.resolve(undefined));
  server.handleUpgrade(context.req, socket, head, (webSocket) => opened.resolve({ webSocket, socket }));
  return opened.promise;
}
