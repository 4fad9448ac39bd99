/** A connection of HTTP/1.1 that carries one exchange after another, each as a whole. */
import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import type { AnswerHeaders } from './answer-reader.ts';
import type { Carrier, WholeExchange } from './whole-exchange.ts';

/** Calls `created` with the connection, which may yet have to be made, or with why there is none; only the first call counts. */
export type Connect = (created: Created) => void;
export type Created = (error?: Error | null, socket?: Socket) => void;

/** What the connection is one of. */
export interface ConnectionOwner {
  /** It may carry another exchange, for some milliseconds. */
  free(connection: KeptConnection, keptFor: number): void;
  /** It is good for nothing any longer. @param unheard what was sent just when the server ended the connection, which has not read it */
  gone(connection: KeptConnection, unheard?: WholeExchange): void;
}

/** Milliseconds for which a connection is kept that nobody uses, as in 1.32. */
const IDLE = 90_000;
/** Milliseconds before the end of the time that a server promises to keep it. */
const EARLIER = 1_000;

export class KeptConnection implements Carrier {
  readonly #owner: ConnectionOwner;
  #socket: Socket | undefined;
  #exchange: WholeExchange | undefined;
  #hasAnswered = false;
  #isGone = false;

  /** @param exchange the first, for which it is made */
  constructor(owner: ConnectionOwner, exchange: WholeExchange) {
    this.#owner = owner;
    this.#exchange = exchange;
    exchange.carrier = this;
  }

  /** To be called once. */
  open(connect: Connect): void {
    let isCreated = false;
    connect((error, socket) => {
      if (isCreated) return;
      isCreated = true;
      if (socket === undefined) this.#break(error ?? hangUp());
      else this.#take(socket);
    });
  }

  /** It carries nothing now. */
  carry(exchange: WholeExchange): void {
    this.#exchange = exchange;
    exchange.carrier = this;
    this.#socket?.ref();
    this.#send(exchange);
  }

  /** The answer may come at any time: the connection cannot be used again. */
  giveUp(exchange: WholeExchange): void {
    if (this.#exchange === exchange) this.end();
  }

  /** Ends it, with what it carries. */
  end(): void {
    this.#break(new Error(HANG_UP));
  }

  /** Resolves when nothing of it is left. */
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
    // nothing leaves before the certificate of the server is believed
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
    // nobody has asked
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
    // who answers before the request is there may not read the rest of it
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

/** Of headers that say how long the server keeps the connection, in seconds. */
function promisedFor({ 'keep-alive': hint }: AnswerHeaders): number {
  const seconds = hint === undefined ? undefined : /^timeout=(\d{1,9})/.exec(hint)?.[1];
  return seconds === undefined ? IDLE : Math.min(IDLE, Number(seconds) * 1_000 - EARLIER);
}

const ENDINGS: ReadonlySet<string | undefined> = new Set(['ECONNRESET', 'EPIPE']);

const wasEnded = (error: unknown): boolean => ENDINGS.has((error as NodeJS.ErrnoException).code);

/** In the words of Node, which say whether the answer had begun. */
const ending = (message: string): Error => Object.assign(new Error(message), { code: 'ECONNRESET' });
const HANG_UP = 'socket hang up';
const hangUp = (): Error => ending(HANG_UP);
const aborted = (): Error => ending('aborted');
