import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ServerHttp2Session } from 'node:http2';
import type { Server } from 'node:https';
import type { Socket } from 'node:net';

/** Milliseconds between looks at connections whose last answer may have left, and whether any is left, while the server closes. */
const CLOSING_INTERVAL = 20;

/**
 * The connections of one server, so that it can close without cutting an answer short. Node's own `closeIdleConnections` takes an answer
 * for sent once it has been ended, though bytes of it may still be waiting for the socket; here it is sent when the system has all of it.
 */
export class Connections {
  readonly #server: Server;
  /** below TLS; of both protocols */
  readonly #all = new Set<Socket>();
  /** of HTTP/1.1 */
  readonly #http1 = new Set<Socket>();
  /** answers of HTTP/1.1 that are not sent yet, with their connections */
  readonly #answering = new Map<ServerResponse, Socket>();
  #closing = false;

  constructor(server: Server) {
    this.#server = server;
    server.on('connection', (socket: Socket) => keep(this.#all, socket));
    server.on('secureConnection', (socket) => socket.alpnProtocol !== 'h2' && keep(this.#http1, socket));
    server.prependListener('request', (request, response) => this.#begin(request, response));
    // close() calls it
    server.closeIdleConnections = () => this.#endIdle();
  }

  #begin(request: IncomingMessage, response: ServerResponse): void {
    if (request.httpVersionMajor !== 1) return;
    this.#answering.set(response, request.socket);
    response.on('close', () => this.#answering.delete(response));
    if (this.#closing) response.setHeader('connection', 'close');
  }

  /** HTTP/2 connections without requests are ended when the server closes. */
  #endIdle(): void {
    const busy = new Set(this.#answering.values());
    for (const socket of this.#http1) if (!busy.has(socket)) socket.end();
  }

  /**
   * Takes no more connections, lets requests under way end, and resolves when all connections are gone.
   * @param graceMs milliseconds after which those that are left are cut
   */
  close(graceMs: number): Promise<void> {
    this.#closing = true;
    for (const response of this.#answering.keys()) if (!response.headersSent) response.setHeader('connection', 'close');
    return new Promise((resolve) => {
      const cut = setTimeout(() => {
        for (const socket of this.#all) socket.destroy();
      }, graceMs);
      const closing = setInterval(() => {
        this.#endIdle();
        if (this.#all.size > 0) return;
        clearInterval(closing);
        clearTimeout(cut);
        resolve();
      }, CLOSING_INTERVAL);
      this.#server.close();
    });
  }
}

function keep(set: Set<Socket>, socket: Socket): void {
  set.add(socket);
  socket.on('close', () => set.delete(socket));
}

/** HTTP/1.1 has this from `keepAliveTimeout`. A watch may be silent for longer, so only connections without a request are idle. */
export function endWhenIdle(session: ServerHttp2Session, idleMs: number): void {
  let open = 0;
  session.on('stream', (stream) => {
    open++;
    stream.once('close', () => open--);
  });
  session.setTimeout(idleMs, () => {
    if (open === 0) session.close();
  });
}
