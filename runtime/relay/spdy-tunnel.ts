/**
 * Ports are forwarded in SPDY, which a WebSocket may hold: each message is a piece of the stream of bytes. Agents know SPDY alone, so the wrapping
 * is taken off here (as in 1.32).
 */
import type { IncomingMessage } from 'node:http';
import type { Context } from 'koa';
import { createWebSocketStream, WebSocketServer } from 'ws';
import { answerOf } from '../connections/client-answer.ts';
import { offeredProtocols, VERSION_HEADER, WEB_SOCKET_VERSION } from '../connections/web-socket.ts';
import type { Answer, Outgoing } from './exchange.ts';
import { inSpdy, SPDY } from './spdy-request.ts';
import { join } from './tunnel.ts';

const PROTOCOLS = 'sec-websocket-protocol';
/** Bytes of one message; SPDY's own frames of data are smaller. */
const MAX_PAYLOAD = 1024 * 1024;

/** The subprotocol in which a client holds SPDY, such as `SPDY/3.1+PROTOCOL`; undefined where it does not. */
export function tunnelProtocol(request: IncomingMessage): string | undefined {
  return offeredProtocols(request).find((protocol) => protocol.startsWith(`${SPDY}+`));
}

/** The request that an agent knows instead. @param protocol of `tunnelProtocol` */
export function unwrapped(outgoing: Outgoing, protocol: string): Outgoing {
  return inSpdy(outgoing, [protocol.slice(SPDY.length + 1)]);
}

/** The library of 1.32 for these looks for the version in a list, and answers as it does to any request. */
function isRefused(context: Context): boolean {
  const versions = (context.req.headers['sec-websocket-version'] ?? '').split(',').map((version) => version.trim());
  if (versions.includes(WEB_SOCKET_VERSION)) return false;
  context.res.setHeader(VERSION_HEADER, WEB_SOCKET_VERSION);
  context.res.setHeader('x-content-type-options', 'nosniff');
  answerOf(context).send(400, 'text/plain; charset=utf-8', 'Bad Request\n');
  return true;
}

/** Switches the client's connection to a WebSocket, unless the client is told why not, and joins what its messages hold with the backend's. */
export function relayInside(context: Context, { switched }: Required<Answer>, protocol: string): void {
  if (isRefused(context)) return void switched.socket.destroy();
  const sockets = new WebSocketServer({ noServer: true, maxPayload: MAX_PAYLOAD });
  // It holds a slash, which names of subprotocols must not: the library would refuse it.
  delete context.req.headers[PROTOCOLS];
  sockets.once('headers', (headers) => headers.push(`Sec-WebSocket-Protocol: ${protocol}`));
  // the library takes no list
  context.req.headers['sec-websocket-version'] = WEB_SOCKET_VERSION;
  const { socket, head } = answerOf(context).switchProtocols();
  // A handshake that fails leaves the backend without a client.
  socket.once('close', () => switched.socket.destroy());
  sockets.handleUpgrade(context.req, socket, head, (client) => {
    const bytes = createWebSocketStream(client);
    if (switched.rest.length > 0) bytes.write(switched.rest);
    void join(bytes, switched.socket);
  });
}
