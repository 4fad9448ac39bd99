/**
 * Requests to switch protocols, on HTTP/1.1. Such a request goes through the chain like any other, with a response that closes its
 * connection; a handler that switches takes the connection over. So nobody switches before authorization, and every refusal is a Status.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

/** A connection that no longer speaks HTTP. Whoever has it answers the switch (the line of 101 included) and ends it. */
export interface TakenConnection {
  readonly socket: Duplex;
  /** the bytes that arrived behind the request's head; they may be empty */
  readonly head: Buffer;
}

// an import would load everything that the module exports, including Node's whole client for fetch (5 MB)
const http = process.getBuiltinModule('node:http');

const offered = new WeakMap<IncomingMessage, TakenConnection>();

/**
 * For the event `upgrade` of a listener: answers as `answer` does for any request.
 * @param socket of Node: its listeners are gone, so that an error on it has to be caught here
 */
export function offerUpgrade(
  request: IncomingMessage,
  socket: Duplex,
  head: Buffer,
  answer: (request: IncomingMessage, response: ServerResponse) => unknown,
): void {
  const connection = request.socket;
  for (const end of new Set<Duplex>([socket, connection])) end.on('error', () => {});
  const response = new http.ServerResponse(request);
  try {
    response.assignSocket(connection);
  } catch {
    // An answer to a request before this one is still on its way: pipelined switches are none.
    connection.destroy();
    return;
  }
  response.shouldKeepAlive = false;
  response.once('finish', () => {
    response.detachSocket(connection);
    connection.destroySoon();
    process.nextTick(close, response);
  });
  offered.set(request, { socket, head });
  answer(request, response);
}

/** Ends the response as Node does after an answer of its own, because others wait for its end. */
function close(response: ServerResponse): void {
  response.destroy();
  response.emit('close');
}

/** The protocol that a request asks to switch to, in lower case, such as `websocket`; '' when it asks for none. */
export function upgradeProtocol(request: IncomingMessage): string {
  return offered.has(request) ? (request.headers.upgrade ?? '').toLowerCase() : '';
}

/** Whether a request on HTTP/1 has `upgrade` in its `Connection`, whether or not it says to what. */
export function namesUpgrade({ headers, httpVersionMajor }: IncomingMessage): boolean {
  return httpVersionMajor === 1 && /upgrade/i.test(headers.connection ?? '');
}

/**
 * Ends HTTP on the connection of a request for which `upgradeProtocol` is not ''. The response counts as under way until the connection is gone.
 */
export function takeConnection(response: ServerResponse): TakenConnection {
  const { req: request } = response;
  const taken = offered.get(request);
  if (taken === undefined) throw new Error('the connection of this request cannot be taken over');
  offered.delete(request);
  const connection = request.socket;
  response.detachSocket(connection);
  connection.once('close', () => response.emit('close'));
  return taken;
}
