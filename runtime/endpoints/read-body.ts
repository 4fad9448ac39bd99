/**
 * Reads the bodies of requests. Nothing here runs before authorization has passed. Long ones take turns for a budget of memory, and are answered on
 * another thread: whatever stands in them, nobody else waits for it.
 */
import type { IncomingMessage } from 'node:http';
import { whenClientGone } from '../connections/client-gone.ts';
import { paceReceiving } from '../connections/receiving-pace.ts';
import type { Span } from '../contract/trace.ts';
import { newRequestEntityTooLarge, newTimeout, newUnknown } from '../status/status.ts';
import { BodyMemory } from './bodies/body-memory.ts';
import type { ByteBudgetOptions } from './bodies/byte-budget.ts';
import { LongBody } from './long-body.ts';
import { isLongTable } from './long-form.ts';
import type { ResourceRequest } from './resource-request.ts';

/** The most bytes of a body, as in 1.32. */
export const MAX_BODY_BYTES = 3 * 1024 * 1024;
/**
 * The bytes from which on a body is long. A shorter one occupies the serving thread for about ten milliseconds at most, whatever it contains (see README.md).
 */
const LONG_BODY_BYTES = 16 * 1024;
/** The same for YAML, which takes longer, and for CBOR, which has more values in the same number of bytes. */
const LONG_DENSE_BYTES = 8 * 1024;
/** The same of an object that is changed, as it is stored: all of it was right once. */
const LONG_OBJECT_BYTES = 32 * 1024;
/** Milliseconds after which a long body must have come further; a client may take up to twice as long for the next bytes. */
const PATIENCE = 5_000;

/** The budget for bodies that are being received, or that wait for the other thread. It suffices for 21 of the longest at a time. */
export const BODY_BUDGET: ByteBudgetOptions = {
  bytes: 64 * 1024 * 1024,
  waiting: 200,
  patience: 15_000,
  refusal: 'too many long requests are under way, please try again later',
};

/** The client has closed the connection before all of the body was there. */
const BROKEN_OFF = newUnknown('unexpected EOF');

const NOTHING = Buffer.alloc(0);

/**
 * To be called before anything else is done for a request than looking whether it may be.
 * @throws StatusError RequestEntityTooLarge, TooManyRequests where there is no memory for it, Timeout where it does not come
 * @throws LongBody where another thread is to answer
 */
export function readBody(request: ResourceRequest): Promise<Buffer> {
  const { trace } = request.client;
  return trace === undefined ? receive(request) : told(trace.current, receive(request));
}

/** Says when the body was read, or that it was not. */
async function told(span: Span, reading: Promise<Buffer>): Promise<Buffer> {
  try {
    const body = await reading;
    span.event('limitedReadBody succeeded', { len: body.length });
    return body;
  } catch (error) {
    // the other thread says what becomes of it
    if (!(error instanceof LongBody)) span.event('limitedReadBody failed', { len: 0, err: (error as Error).message });
    throw error;
  }
}

function receive(request: ResourceRequest): Promise<Buffer> {
  const { server, context } = request;
  const { req } = context;
  const declared = Number(req.headers['content-length'] ?? 0);
  if (declared > MAX_BODY_BYTES) return Promise.reject(newRequestEntityTooLarge(MAX_BODY_BYTES));
  const elsewhere = (bytes: number): boolean =>
    server.longRequests !== undefined && (bytes > longFrom(request) || changesLongObject(request) || isMuchWork(request));
  if (req.readableEnded) return elsewhere(0) ? Promise.reject(new LongBody()) : Promise.resolve(NOTHING);
  return new Promise((resolve, reject) => {
    const isShort = declared > 0 && declared <= LONG_BODY_BYTES;
    const received = (body: BodyMemory): void => {
      try {
        if (elsewhere(body.size)) return reject(new LongBody(body.takeOwn()));
      } catch (error) {
        // what is stored of the object is damaged, say
        return reject(error);
      }
      const bytes = body.take();
      request.client.body = bytes;
      resolve(bytes);
    };
    const failed = (error: unknown): void => {
      // an answer that nobody gets records nothing, and the end of the connection is all that is known of the request a moment later
      if (error === BROKEN_OFF) request.client.recorder?.outcome(BROKEN_OFF.status);
      reject(error);
    };
    const reading = new Reading(req, isShort ? undefined : request, received, failed);
    reading.begin(declared > LONG_BODY_BYTES);
  });
}

function longFrom({ context, server }: ResourceRequest): number {
  const type = context.req.headers['content-type'];
  const isDense = type?.includes('yaml') === true || (server.negotiator.speaksCbor && type?.includes('cbor') === true);
  return isDense ? LONG_DENSE_BYTES : LONG_BODY_BYTES;
}

/** Whether the object that the request changes is long, however little it says of it. */
function changesLongObject({ info, resource, store }: ResourceRequest): boolean {
  if (info.name === '' || resource.data.storage === undefined || store.mostBytesOf(info.namespace, info.name) <= LONG_OBJECT_BYTES)
    return false;
  return store.look(info.namespace, info.name, ({ bytes }) => bytes.length > LONG_OBJECT_BYTES) ?? false;
}

const WRITES: ReadonlySet<string> = new Set(['create', 'update', 'patch']);

/** Whether a write may be much work for what the kind's rules compute, however short the object is, or for the form of its answer. */
function isMuchWork({ info, kind, negotiated }: ResourceRequest): boolean {
  return (WRITES.has(info.verb) && kind.hub.isMuchWork) || isLongTable({ kind, negotiated });
}

class Reading {
  readonly #request: IncomingMessage;
  /** the request, if its body may be long */
  readonly #long: ResourceRequest | undefined;
  readonly #received: (body: BodyMemory) => void;
  readonly #failed: (error: unknown) => void;
  readonly #memory = new BodyMemory();
  #timer: NodeJS.Timeout | undefined;
  #came = false;
  #isOver = false;
  #hasRoom: boolean;

  constructor(
    request: IncomingMessage,
    long: ResourceRequest | undefined,
    received: (body: BodyMemory) => void,
    failed: (error: unknown) => void,
  ) {
    this.#request = request;
    this.#long = long;
    this.#received = received;
    this.#failed = failed;
    this.#hasRoom = long === undefined;
  }

  /** @param isLong it is known to be; else that shows */
  begin(isLong: boolean): void {
    const request = this.#request;
    // its client has gone before: no event tells of that again
    if (request.destroyed && !request.readableEnded) return this.#abort();
    request.on('end', this.#end);
    request.on('error', this.#fail);
    request.on('aborted', this.#abort);
    if (isLong) this.#makeRoom(() => request.on('data', this.#take));
    else request.on('data', this.#take);
  }

  readonly #take = (chunk: Buffer): void => {
    const size = this.#memory.size + chunk.length;
    if (size > MAX_BODY_BYTES) return this.#fail(newRequestEntityTooLarge(MAX_BODY_BYTES));
    this.#memory.add(chunk);
    this.#came = true;
    if (size <= LONG_BODY_BYTES) return;
    if (this.#hasRoom) return paceReceiving(this.#request, chunk.length);
    this.#request.pause();
    this.#makeRoom(() => this.#request.resume());
  };

  #makeRoom(then: () => void): void {
    const { server, context, client } = this.#long as ResourceRequest;
    this.#hasRoom = true;
    client.signal.addEventListener('abort', () => this.#fail(client.signal.reason), { once: true });
    const declared = Number(this.#request.headers['content-length'] ?? MAX_BODY_BYTES);
    server.bodyBudget.open(declared, client.user.name).then((lease) => {
      whenClientGone(context.res, () => lease.close());
      if (this.#isOver) return;
      this.#came = true;
      this.#memory.gather(declared);
      this.#awaitMore();
      then();
    }, this.#fail);
  }

  #awaitMore(): void {
    this.#timer = setTimeout(() => {
      if (!this.#came) return this.#fail(newTimeout('the body of the request did not come in time'));
      this.#came = false;
      this.#awaitMore();
    }, PATIENCE);
  }

  readonly #end = (): void => {
    this.#stop();
    this.#received(this.#memory);
  };

  readonly #abort = (): void => this.#fail(BROKEN_OFF);

  readonly #fail = (error: unknown): void => {
    this.#stop();
    this.#memory.take();
    // what still comes is thrown away
    this.#request.on('error', () => {}).resume();
    this.#failed(error);
  };

  #stop(): void {
    this.#isOver = true;
    const request = this.#request;
    request.off('data', this.#take).off('end', this.#end).off('error', this.#fail).off('aborted', this.#abort);
    clearTimeout(this.#timer);
  }
}
