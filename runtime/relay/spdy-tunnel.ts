/**
 * Port forwarding speaks SPDY. Clients may send the bytes of SPDY in messages of a WebSocket. Agents know only plain SPDY, so the server unwraps the
 * messages (as in 1.32).
 */
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Context } from 'koa';
import { createWebSocketStream, type WebSocket, WebSocketServer } from 'ws';
import { answerOf } from '../connections/client-answer.ts';
import { offeredProtocols, VERSION_HEADER, WEB_SOCKET_VERSION } from '../connections/web-socket.ts';
import type { Answer, Outgoing } from './exchange.ts';
import { inSpdy, isInSpdy, PROTOCOL_VERSION, SPDY } from './spdy-request.ts';
import { join } from './tunnel.ts';

const PREFIX = `${SPDY}+`;
const PROTOCOLS = 'sec-websocket-protocol';
/** Most bytes of one message. */
const MAX_PAYLOAD = 1024 * 1024;
const NORMAL = 1000;
/** Codes by which metrics count these requests, as in 1.32, which knows no other for a client that is refused here. */
const [SWITCHED, FAILED] = [101, 500];

/**
 * The subprotocols of a client that sends SPDY in a WebSocket, such as `SPDY/3.1+PROTOCOL`; none of other clients.
 * @param text resolves identity placeholders
 */
export function tunnelProtocols(request: IncomingMessage, text: (template: string) => string): string[] {
  const end = text('.${groupDomain}');
  return offeredProtocols(request).filter((protocol) => protocol.startsWith(PREFIX) && protocol.endsWith(end));
}

/** The request for plain SPDY. @param protocols of `tunnelProtocols` */
export function unwrapped(outgoing: Outgoing, protocols: readonly string[]): Outgoing {
  return inSpdy(
    outgoing,
    protocols.map((protocol) => protocol.slice(PREFIX.length)),
  );
}

/** Why the client's connection is not switched. @returns undefined where nothing is against it */
function problem({ req: request }: Context, head: IncomingMessage): { status: number; text: string } | undefined {
  if (!isInSpdy(head)) return { status: 500, text: 'unable to upgrade: missing upgrade headers in response' };
  if (request.method !== 'GET') return { status: 405, text: 'Method Not Allowed' };
  // As in 1.32 the header may be a list of versions here.
  const versions = (request.headers['sec-websocket-version'] ?? '').split(',').map((version) => version.trim());
  const isWhole = versions.includes(WEB_SOCKET_VERSION) && isKey(request.headers['sec-websocket-key'] ?? '');
  return isWhole ? undefined : { status: 400, text: 'Bad Request' };
}

/** 16 bytes in base64 */
const isKey = (key: string): boolean => /^[+/0-9A-Za-z]{22}==$/.test(key);

/** Refuses the client in plain text (as in 1.32). */
function refuse(context: Context, { status, text }: { status: number; text: string }): void {
  if (status < 500) context.res.setHeader(VERSION_HEADER, WEB_SOCKET_VERSION);
  context.res.setHeader('x-content-type-options', 'nosniff');
  answerOf(context).send(status, 'text/plain; charset=utf-8', `${text}\n`);
}

/** The subprotocol of the client that stands for what the agent chose; undefined for none. */
function chosen(head: IncomingMessage, protocols: readonly string[]): string | undefined {
  const name = String(head.headers[PROTOCOL_VERSION.toLowerCase()] ?? '').trim();
  return protocols.find((protocol) => protocol === PREFIX + name);
}

/**
 * Switches the client's connection to a WebSocket, unless it is refused, and joins the bytes in its messages with the backend's connection.
 * @param protocols of `tunnelProtocols`. @returns the code by which metrics count the request
 */
export function relayInside(context: Context, { head, switched }: Required<Answer>, protocols: readonly string[]): number {
  const refusal = problem(context, head);
  if (refusal !== undefined) {
    refuse(context, refusal);
    switched.socket.destroy();
    return FAILED;
  }
  const sockets = new WebSocketServer({ noServer: true, maxPayload: MAX_PAYLOAD });
  // The library refuses this name because of its slash, which subprotocols must not have. So it does not get to see the header.
  delete context.req.headers[PROTOCOLS];
  const protocol = chosen(head, protocols);
  if (protocol !== undefined) sockets.once('headers', (headers) => headers.push(`Sec-WebSocket-Protocol: ${protocol}`));
  // the library accepts one version, but no list
  context.req.headers['sec-websocket-version'] = WEB_SOCKET_VERSION;
  const { socket, head: first } = answerOf(context).switchProtocols();
  // If the handshake fails, nobody else closes the backend's connection.
  socket.once('close', () => switched.socket.destroy());
  sockets.handleUpgrade(context.req, socket, first, (client) => {
    const bytes = bytesOf(client);
    if (switched.rest.length > 0) bytes.write(switched.rest);
    void join(bytes, switched.socket);
  });
  return SWITCHED;
}

/** The bytes in the messages of a client, which is told the end of those for it: the library's own end has no reason, which clients take for a failure. */
function bytesOf(client: WebSocket): Duplex {
  const bytes = createWebSocketStream(client);
  const end = bytes._final.bind(bytes);
  bytes._final = (ended) => {
    client.close(NORMAL);
    end(ended);
  };
  return bytes;
}
