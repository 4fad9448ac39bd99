/** One request and its answer as complete buffers. The exchange knows its state, whichever connection carries it. */
import { type AnswerHeaders, AnswerReader, type LastHead } from './answer-reader.ts';

export interface WholeAnswer {
  readonly status: number;
  readonly headers: AnswerHeaders;
  /** as it was received, still compressed if the server has compressed it */
  readonly body: Buffer;
}

/** The time for the whole exchange is over. */
export class OutOfTime extends Error {
  override readonly name = 'OutOfTime';
  /** whether the answer had begun */
  hasBegun = false;
}

export interface WholeRequest {
  /** the bytes that are sent */
  readonly bytes: Buffer;
  /** milliseconds for the whole exchange */
  readonly timeout: number;
  /** ends it with its reason */
  readonly signal?: AbortSignal | undefined;
  /** the most bytes of the answer's body */
  readonly maxBytes: number;
  /** whether it may be sent again if the server ended the kept connection at the same time */
  readonly repeatable: boolean;
}

/** Is told when an exchange is over before its answer has arrived. */
export interface Carrier {
  giveUp(exchange: WholeExchange): void;
}

/** It makes no AbortSignal of its own, because that would take Node longer than the rest of the exchange. */
export class WholeExchange {
  readonly request: WholeRequest;
  readonly answer: Promise<WholeAnswer>;
  reader: AnswerReader;
  /** the connection that carries it, or the pool in which it waits */
  carrier: Carrier | undefined;
  #isOver = false;
  readonly #timer: NodeJS.Timeout;
  readonly #resolve: (answer: WholeAnswer) => void;
  readonly #reject: (error: unknown) => void;

  readonly #lastHead: LastHead;

  /** @param request its signal must not be aborted yet. @param lastHead the last head of the same server */
  constructor(request: WholeRequest, lastHead: LastHead) {
    this.request = request;
    this.#lastHead = lastHead;
    this.reader = new AnswerReader(request.maxBytes, lastHead);
    const { promise, resolve, reject } = Promise.withResolvers<WholeAnswer>();
    this.answer = promise;
    this.#resolve = resolve;
    this.#reject = reject;
    this.#timer = setTimeout(outOfTime, request.timeout, this).unref();
    request.signal?.addEventListener('abort', this);
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** Listens to the signal's `abort`. */
  handleEvent(): void {
    this.#giveUp(this.request.signal?.reason);
  }

  outOfTime(): void {
    const error = new OutOfTime(`no answer in ${this.request.timeout} ms`);
    error.hasBegun = this.reader.hasHead;
    this.#giveUp(error);
  }

  #giveUp(reason: unknown): void {
    this.fail(reason);
    this.carrier?.giveUp(this);
  }

  /** Must be called when the answer is complete. */
  succeed(): void {
    const { status, headers, body } = this.reader;
    this.#end();
    this.#resolve({ status, headers, body });
  }

  fail(error: unknown): void {
    if (this.#isOver) return;
    this.#end();
    this.#reject(error);
  }

  /** Prepares to send the request once more. */
  again(): void {
    this.reader = new AnswerReader(this.request.maxBytes, this.#lastHead);
  }

  #end(): void {
    this.#isOver = true;
    clearTimeout(this.#timer);
    this.request.signal?.removeEventListener('abort', this);
  }
}

const outOfTime = (exchange: WholeExchange): void => exchange.outOfTime();
