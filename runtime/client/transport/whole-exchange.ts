/** One request and its answer, which are there as a whole: what has become of it, whatever connection carries it. */
import { type AnswerHeaders, AnswerReader, type LastHead } from './answer-reader.ts';

export interface WholeAnswer {
  readonly status: number;
  readonly headers: AnswerHeaders;
  /** as it came, packed where the server has packed it */
  readonly body: Buffer;
}

/** Nobody waits any longer: the time for all of it is over. */
export class OutOfTime extends Error {
  override readonly name = 'OutOfTime';
}

export interface WholeRequest {
  /** the bytes that are sent */
  readonly bytes: Buffer;
  /** milliseconds for all of it */
  readonly timeout: number;
  /** ends it with its reason */
  readonly signal?: AbortSignal | undefined;
  /** of the answer's body */
  readonly maxBytes: number;
  /** may be sent again on a connection that the server ended at the same time */
  readonly repeatable: boolean;
}

/** Who is told when it is over before its answer has come. */
export interface Carrier {
  giveUp(exchange: WholeExchange): void;
}

/** It costs no signal of its own: these take Node longer than the rest of it. */
export class WholeExchange {
  readonly request: WholeRequest;
  readonly answer: Promise<WholeAnswer>;
  reader: AnswerReader;
  /** what it waits for */
  carrier: Carrier | undefined;
  #isOver = false;
  readonly #timer: NodeJS.Timeout;
  readonly #resolve: (answer: WholeAnswer) => void;
  readonly #reject: (error: unknown) => void;

  readonly #lastHead: LastHead;

  /** @param request its signal is not aborted yet. @param lastHead of the server that is asked */
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

  /** Of the signal. */
  handleEvent(): void {
    this.#giveUp(this.request.signal?.reason);
  }

  outOfTime(): void {
    this.#giveUp(new OutOfTime(`no answer in ${this.request.timeout} ms`));
  }

  #giveUp(reason: unknown): void {
    this.fail(reason);
    this.carrier?.giveUp(this);
  }

  /** The answer is whole. */
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

  /** It is sent once more. */
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
