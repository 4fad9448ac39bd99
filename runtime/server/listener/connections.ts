import type { ServerResponse } from 'node:http';
import type { ServerHttp2Session } from 'node:http2';
import type { Server } from 'node:https';
import type { Socket } from 'node:net';
import { isHttp2 } from './pipelined-requests.ts';

/** Milliseconds between looks at connections whose last answer may have left, while the server closes. */
const CLOSING_INTERVAL = 20;

/**
 * Milliseconds for which a connection lives on behind an answer that has not said that it is the last, such as a watch that the server has ended: its client
 * may be about to send the next request.
 */
const LINGER = 500;

/**
 * What Node calls behind an answer that is the last one. Nothing more of the connection is looked at, but as in Go the client may go on sending for a while:
 * where a part of its request is unread when the connection is closed, the system takes the answer back.
 */
function endBehindAnswer(socket: Socket): void {
  socket.removeAllListeners('data');
  socket.end();
  socket.resume();
  const end = setTimeout(() => socket.destroy(), LINGER);
  socket.once('close', () => clearTimeout(end));
}

/** Answers of a connection of HTTP/1.1 that have not left yet. */
export type AnswersOf = (socket: Socket) => readonly ServerResponse[];

/**
 * The connections of one server, so that it can close without cutting an answer short. Node's own `closeIdleConnections` takes an answer
 * for sent once it has been ended, though bytes of it may still be waiting for the socket; here it is sent when the system has all of it.
 */
export class Connections {
  readonly #server: Server;
  readonly #answersOf: AnswersOf;
  /** the TCP connections below TLS, of both protocols */
  readonly #all = new Set<Socket>();
  /** the connections of HTTP/1.1 */
  readonly #http1 = new Set<Socket>();
  /** checks whether all connections are gone; set while the server closes */
  #gone: (() => void) | undefined;
  #lastAnswers = false;
  /** answers have told before the server closed that they are the last: no request shall be lost */
  #wasAnnounced = false;
  /** connections of HTTP/1.1 that may have a request on its way: when the server last knew of one */
  readonly #lively = new WeakMap<Socket, number>();
  #closing: Promise<void> | undefined;

  constructor(server: Server, answersOf: AnswersOf) {
    this.#server = server;
    this.#answersOf = answersOf;
    server.on('connection', (socket: Socket) => this.#keep(this.#all, socket));
    server.on('secureConnection', (socket) => {
      if (socket.alpnProtocol === 'h2') return;
      this.#keep(this.#http1, socket);
      socket.destroySoon = () => endBehindAnswer(socket);
      if (this.#lastAnswers) this.#lively.set(socket, performance.now());
    });
    // close() calls it
    server.closeIdleConnections = () => this.#endIdle();
  }

  /** HTTP/2 connections without requests are ended when the server closes. */
  #endIdle(): void {
    const now = performance.now();
    for (const socket of this.#http1)
      if (this.#answersOf(socket).length === 0) {
        if (now - (this.#lively.get(socket) ?? Number.NEGATIVE_INFINITY) >= LINGER) socket.end();
      } else if (this.#wasAnnounced) this.#lively.set(socket, now);
  }

  /**
   * From now on each answer on HTTP/1.1 is the last one of its connection, and says so: its client sends the next request elsewhere. Were connections ended in
   * silence, a client could send one at that moment, and could not know whether it was done. (On HTTP/2 the frame that ends a connection tells which requests
   * were.)
   */
  lastAnswers(): void {
    if (this.#lastAnswers) return;
    this.#lastAnswers = true;
    const isLast = (response: ServerResponse): unknown => !response.headersSent && response.setHeader('connection', 'close');
    for (const socket of this.#http1) this.#answersOf(socket).forEach(isLast);
    this.#server.prependListener('request', (request, response) => !isHttp2(request) && isLast(response));
  }

  /**
   * Takes no more connections, lets requests under way end, and resolves when all connections are gone.
   * @param graceMs milliseconds, once `underWay` has resolved, after which those that are left are cut
   */
  close(graceMs: number, underWay: Promise<unknown> = Promise.resolve()): Promise<void> {
    this.#closing ??= this.#close(graceMs, underWay);
    return this.#closing;
  }

  #close(graceMs: number, underWay: Promise<unknown>): Promise<void> {
    this.#wasAnnounced = this.#lastAnswers;
    this.lastAnswers();
    const { promise, resolve } = Promise.withResolvers<void>();
    let cut: NodeJS.Timeout | undefined;
    let isOver = false;
    void underWay.then(() => {
      if (isOver) return;
      cut = setTimeout(() => {
        for (const socket of this.#all) socket.destroy();
      }, graceMs);
    });
    const closing = setInterval(() => this.#endIdle(), CLOSING_INTERVAL);
    this.#gone = () => {
      if (this.#all.size > 0) return;
      isOver = true;
      clearInterval(closing);
      clearTimeout(cut);
      // Node frees what TLS has of a connection a moment after its end
      setImmediate(resolve);
    };
    this.#server.close();
    this.#gone();
    return promise;
  }

  #keep(set: Set<Socket>, socket: Socket): void {
    set.add(socket);
    socket.on('close', () => {
      set.delete(socket);
      this.#gone?.();
    });
  }
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
