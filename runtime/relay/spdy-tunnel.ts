/**
 * Port forwarding speaks SPDY. Clients may send the bytes of SPDY in messages of a WebSocket. Agents know only plain SPDY, so the server unwraps the
 * messages (as in 1.32).
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
/** Most bytes of one message. */
const MAX_PAYLOAD = 1024 * 1024;

/** The subprotocol of a client that sends SPDY in a WebSocket, such as `SPDY/3.1+PROTOCOL`; undefined for other clients. */
export function tunnelProtocol(request: IncomingMessage): string | undefined {
  return offeredProtocols(request).find((protocol) => protocol.startsWith(`${SPDY}+`));
}

/** The request for plain SPDY. @param protocol of `tunnelProtocol` */
export function unwrapped(outgoing: Outgoing, protocol: string): Outgoing {
  return inSpdy(outgoing, [protocol.slice(SPDY.length + 1)]);
}

/** Refuses a client that does not offer the known version. As in 1.32 the header may be a list of versions here, and the error is plain text. */
function isRefused(context: Context): boolean {
  const versions = (context.req.headers['sec-websocket-version'] ?? '').split(',').map((version) => version.trim());
  if (versions.includes(WEB_SOCKET_VERSION)) return false;
  context.res.setHeader(VERSION_HEADER, WEB_SOCKET_VERSION);
  context.res.setHeader('x-content-type-options', 'nosniff');
  answerOf(context).send(400, 'text/plain; charset=utf-8', 'Bad Request\n');
  return true;
}

/** Switches the client's connection to a WebSocket, unless it is refused, and joins the bytes in its messages with the backend's connection. */
export function relayInside(context: Context, { switched }: Required<Answer>, protocol: string): void {
  if (isRefused(context)) return void switched.socket.destroy();
  const sockets = new WebSocketServer({ noServer: true, maxPayload: MAX_PAYLOAD });
  // The library refuses this name because of its slash, which subprotocols must not have. So it does not get to see the header.
  delete context.req.headers[PROTOCOLS];
  sockets.once('headers', (headers) => headers.push(`Sec-WebSocket-Protocol: ${protocol}`));
  // the library accepts one version, but no list
  context.req.headers['sec-websocket-version'] = WEB_SOCKET_VERSION;
  const { socket, head } = answerOf(context).switchProtocols();
  // If the handshake fails, nobody else closes the backend's connection.
  socket.once('close', () => switched.socket.destroy());
  sockets.handleUpgrade(context.req, socket, head, (client) => {
    const bytes = createWebSocketStream(client);
    if (switched.rest.length > 0) bytes.write(switched.rest);
    void join(bytes, switched.socket);
  });
}
