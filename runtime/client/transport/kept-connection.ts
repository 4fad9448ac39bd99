/** A connection of HTTP/1.1 that carries one exchange at a time. Requests and answers are complete buffers. */
import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import type { AnswerHeaders } from './answer-reader.ts';
import type { Carrier, WholeExchange } from './whole-exchange.ts';

/** Makes a connection and calls `created` with the socket, which may still be connecting, or with an error. Only the first call counts. */
export type Connect = (created: Created) => void;
export type Created = (error?: Error | null, socket?: Socket) => void;

/** The pool of the connection. */
export interface ConnectionOwner {
  /** Is called when the connection can carry another exchange within the next milliseconds. */
  free(connection: KeptConnection, keptFor: number): void;
  /** Is called when the connection has ended. @param unheard exchange that the server has not read, because it ended the connection at the same time */
  gone(connection: KeptConnection, unheard?: WholeExchange): void;
}

/** Milliseconds for which an unused connection is kept, as in 1.32. */
const IDLE = 90_000;
/** A connection is given up so many milliseconds before the end of the time that the server has promised. */
const EARLIER = 1_000;

export class KeptConnection implements Carrier {
  readonly #owner: ConnectionOwner;
  #socket: Socket | undefined;
  #exchange: WholeExchange | undefined;
  #hasAnswered = false;
  #isGone = false;

  /** @param exchange the first exchange, which is sent when the connection is established */
  constructor(owner: ConnectionOwner, exchange: WholeExchange) {
    this.#owner = owner;
    this.#exchange = exchange;
    exchange.carrier = this;
  }

  /** Must be called once. */
  open(connect: Connect): void {
    let isCreated = false;
    connect((error, socket) => {
      if (isCreated) return;
      isCreated = true;
      if (socket === undefined) this.#break(error ?? hangUp());
      else this.#take(socket);
    });
  }

  /** Sends an exchange. The connection must be unused. */
  carry(exchange: WholeExchange): void {
    this.#exchange = exchange;
    exchange.carrier = this;
    this.#socket?.ref();
    this.#send(exchange);
  }

  /** Ends the connection of an exchange that was given up: its answer may still arrive, so the connection cannot be used again. */
  giveUp(exchange: WholeExchange): void {
    if (this.#exchange === exchange) this.end();
  }

  /** Ends the connection and its exchange. */
  end(): void {
    this.#break(new Error(HANG_UP));
  }

  /** Resolves when the socket is closed. */
  async closed(): Promise<void> {
    const socket = this.#socket;
    if (socket !== undefined && !socket.closed) await new Promise((resolve) => socket.once('close', resolve));
  }

  #take(socket: Socket): void {
    // without a listener an error would end the process
    socket.on('error', (error) => this.#break(error));
    if (this.#isGone) return void socket.destroy();
    this.#socket = socket;
    socket.on('data', (bytes: Buffer) => this.#read(bytes));
    socket.on('end', () => this.#end());
    socket.on('close', () => this.#end());
    // nothing may be sent before the server's certificate is verified
    if (socket instanceof TLSSocket) socket.once('secureConnect', () => this.#begin());
    else if (socket.connecting) socket.once('connect', () => this.#begin());
    else this.#begin();
  }

  #begin(): void {
    if (this.#exchange !== undefined) this.#send(this.#exchange);
  }

  #send({ request }: WholeExchange): void {
    this.#socket?.write(request.bytes);
  }

  #read(bytes: Buffer): void {
    const exchange = this.#exchange;
    // the server must not send anything that nobody has asked for
    if (exchange === undefined) return this.end();
    try {
      if (!exchange.reader.read(bytes)) return;
    } catch (error) {
      return this.#break(error);
    }
    this.#answered(exchange);
  }

  #answered(exchange: WholeExchange): void {
    const { keepsAlive, headers } = exchange.reader;
    this.#exchange = undefined;
    this.#hasAnswered = true;
    const keptFor = keepsAlive ? promisedFor(headers) : 0;
    const socket = this.#socket as Socket;
    // a server that has answered before it had the whole request may not read the rest of it
    if (keptFor <= 0 || socket.writableLength > 0) this.end();
    else {
      socket.unref();
      this.#owner.free(this, keptFor);
    }
    exchange.succeed();
  }

  #end(): void {
    const exchange = this.#exchange;
    if (exchange?.reader.end()) this.#answered(exchange);
    else this.#break(exchange?.reader.hasHead ? aborted() : hangUp());
  }

  #break(error: unknown): void {
    if (this.#isGone) return;
    this.#isGone = true;
    this.#socket?.destroy();
    const exchange = this.#exchange;
    this.#exchange = undefined;
    const isUnheard = exchange !== undefined && !exchange.isOver && this.#hasAnswered && exchange.request.repeatable && wasEnded(error);
    if (isUnheard && !exchange.reader.hasHead) return this.#owner.gone(this, exchange);
    this.#owner.gone(this);
    exchange?.fail(error);
  }
}

/** @returns milliseconds for which the connection may be kept unused, by the server's header `Keep-Alive` */
function promisedFor({ 'keep-alive': hint }: AnswerHeaders): number {
  const seconds = hint === undefined ? undefined : /^timeout=(\d{1,9})/.exec(hint)?.[1];
  return seconds === undefined ? IDLE : Math.min(IDLE, Number(seconds) * 1_000 - EARLIER);
}

const ENDINGS: ReadonlySet<string | undefined> = new Set(['ECONNRESET', 'EPIPE']);

const wasEnded = (error: unknown): boolean => ENDINGS.has((error as NodeJS.ErrnoException).code);

/** Errors in the words of Node, which tell whether the answer had begun. */
const ending = (message: string): Error => Object.assign(new Error(message), { code: 'ECONNRESET' });
const HANG_UP = 'socket hang up';
const hangUp = (): Error => ending(HANG_UP);
const aborted = (): Error => ending('aborted');
