/**
 * Reads the bodies of requests. Nothing here runs before authorization has passed. Long ones take turns for a budget of memory, and are answered on
 * another thread: whatever stands in them, nobody else waits for it.
 */
import type { IncomingMessage } from 'node:http';
import { whenClientGone } from '../connections/client-gone.ts';
import { newBadRequest, newRequestEntityTooLarge, newTimeout } from '../status/status.ts';
import type { ClientRequest } from './client-request.ts';
import type { ListBudgetOptions } from './list-budget.ts';
import { LongBody } from './long-body.ts';
import type { ResourceRequest } from './resource-request.ts';

/** Bytes; what 1.32 allows. */
export const MAX_BODY_BYTES = 3 * 1024 * 1024;
/** Bytes from which a body is long: what is shorter keeps the serving thread for ten milliseconds at most (see README.md). */
export const LONG_BODY_BYTES = 32 * 1024;
/** Milliseconds that a client may take for the next bytes of a long body. */
const PATIENCE = 10_000;

/** Of bodies that are being received, and that wait for the other thread: 21 of the longest at a time. */
export const BODY_BUDGET: ListBudgetOptions = {
  bytes: 64 * 1024 * 1024,
  waiting: 200,
  patience: 15_000,
  refusal: 'too many long requests are under way, please try again later',
};

const NOTHING = Buffer.alloc(0);

/**
 * To be called before anything else is done for a request than looking whether it may be.
 * @throws StatusError RequestEntityTooLarge, TooManyRequests where there is no memory for it, Timeout where it does not come
 * @throws LongBody where another thread is to answer
 */
export function readBody({ server, context, client }: ResourceRequest): Promise<Buffer> {
  const { req } = context;
  const declared = Number(req.headers['content-length'] ?? 0);
  if (declared > MAX_BODY_BYTES) return Promise.reject(newRequestEntityTooLarge(MAX_BODY_BYTES));
  if (req.readableEnded) return Promise.resolve(NOTHING);
  const room = async (): Promise<void> => {
    const lease = await server.bodyBudget.open(declared > 0 ? declared : MAX_BODY_BYTES, client.user.name);
    whenClientGone(context.res, () => lease.close());
  };
  return new Promise((resolve, reject) => {
    const isShort = declared > 0 && declared <= LONG_BODY_BYTES;
    const received = (body: Buffer): void => {
      if (server.longRequests === undefined || body.length <= LONG_BODY_BYTES) resolve(body);
      else reject(new LongBody(body));
    };
    const reading = new Reading(req, isShort ? undefined : { room, client }, received, reject);
    reading.begin(declared > LONG_BODY_BYTES);
  });
}

/** What a body needs that may become a long one. */
interface LongReading {
  /** resolves when there is memory for it. @throws StatusError */
  room(): Promise<void>;
  readonly client: ClientRequest;
}

class Reading {
  readonly #request: IncomingMessage;
  readonly #long: LongReading | undefined;
  readonly #received: (body: Buffer) => void;
  readonly #failed: (error: unknown) => void;
  #chunks: Buffer[] = [];
  #size = 0;
  #timer: NodeJS.Timeout | undefined;
  #lastCame = 0;
  #hasRoom: boolean;

  constructor(request: IncomingMessage, long: LongReading | undefined, received: (body: Buffer) => void, failed: (error: unknown) => void) {
    this.#request = request;
    this.#long = long;
    this.#received = received;
    this.#failed = failed;
    this.#hasRoom = long === undefined;
  }

  /** @param isLong it is known to be; else that shows */
  begin(isLong: boolean): void {
    const request = this.#request;
    request.on('end', this.#end);
    request.on('error', this.#fail);
    request.on('aborted', this.#abort);
    if (isLong) this.#makeRoom(() => request.on('data', this.#take));
    else request.on('data', this.#take);
  }

  readonly #take = (chunk: Buffer): void => {
    this.#size += chunk.length;
    if (this.#size > MAX_BODY_BYTES) return this.#fail(newRequestEntityTooLarge(MAX_BODY_BYTES));
    this.#chunks.push(chunk);
    if (this.#timer !== undefined) this.#lastCame = performance.now();
    if (this.#hasRoom || this.#size <= LONG_BODY_BYTES) return;
    this.#request.pause();
    this.#makeRoom(() => this.#request.resume());
  };

  #makeRoom(then: () => void): void {
    const { room, client } = this.#long as LongReading;
    this.#hasRoom = true;
    client.signal.addEventListener('abort', () => this.#fail(client.signal.reason), { once: true });
    room().then(() => {
      this.#lastCame = performance.now();
      this.#await(PATIENCE);
      then();
    }, this.#fail);
  }

  /** @param milliseconds until the next bytes must have come */
  #await(milliseconds: number): void {
    this.#timer = setTimeout(() => {
      const left = this.#lastCame + PATIENCE - performance.now();
      if (left > 0) this.#await(left);
      else this.#fail(newTimeout('the body of the request did not come in time'));
    }, milliseconds).unref();
  }

  readonly #end = (): void => {
    const chunks = this.#stop();
    this.#received(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks));
  };

  readonly #abort = (): void => this.#fail(newBadRequest('the client closed the connection before the body was complete'));

  readonly #fail = (error: unknown): void => {
    this.#stop();
    // what still comes is thrown away
    this.#request.on('error', () => {}).resume();
    this.#failed(error);
  };

  /** @returns what has come */
  #stop(): Buffer[] {
    const request = this.#request;
    request.off('data', this.#take).off('end', this.#end).off('error', this.#fail).off('aborted', this.#abort);
    clearTimeout(this.#timer);
    const chunks = this.#chunks;
    this.#chunks = [];
    return chunks;
  }
}
