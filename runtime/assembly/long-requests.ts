/** Requests that are much work on their way to the thread that answers them, forms of long objects that it makes, and what comes back of both. */

import type { ResourceLimits, Worker } from 'node:worker_threads';
import type { Context } from 'koa';
import { OWN_WORK, type RequestContext, type User } from '../contract/request-context.ts';
import type { Trace } from '../contract/trace.ts';
import type { ClientRequest } from '../endpoints/client-request.ts';
import type { LongRequests, OwnRequest } from '../endpoints/long-body.ts';
import type { FormOrder } from '../endpoints/long-form.ts';
import type { Log } from '../observability/log.ts';
import { parseNativeJson } from '../schema/native-json.ts';
import { newRequestEntityTooLarge, newServiceUnavailable, type Status, StatusError } from '../status/status.ts';
import { serveStore } from '../storage/remote/serve-store.ts';
import type { Storage } from '../storage/storage.ts';
import type { LongAnswer, LongRequest, Noted, Order, Report, ThreadData } from './long-request-messages.ts';

/** Milliseconds after which a thread without work ends, and with it all memory that it has. */
const IDLE = 5_000;
/** Milliseconds that a request may go on on the thread once nobody waits for it. */
const GRACE = 2_000;
/** MiB. What a body of 3 MiB may become on its way to an object. */
const LIMITS: ResourceLimits = { maxOldGenerationSizeMb: 1024, maxYoungGenerationSizeMb: 32, stackSizeMb: 8 };

/** Whose answer something is for. */
type Waiting = Pick<RequestContext, 'user' | 'signal' | 'trace'>;

interface Job {
  readonly order: Exclude<Order, 'abort'>;
  /** memory that the thread gets with it */
  readonly handedOver: ArrayBuffer[];
  readonly done: PromiseWithResolvers<LongAnswer | Uint8Array<ArrayBuffer>>;
  /** of who waits for it, with what is done here for the thread; absent: it is not traced */
  readonly trace: Trace | undefined;
}

export interface LongRequestOptions {
  readonly storage: Storage;
  readonly log: Log;
  readonly data: () => Omit<ThreadData, 'store'>;
  /** called when the thread has ended, with all memory that it had, and there is no other */
  readonly rested?: () => void;
}

/** Users take turns, so that one who sends many delays only themselves. */
export class ThreadedRequests implements LongRequests {
  readonly #options: LongRequestOptions;
  /** what waits, by user; whose turn is next comes first */
  readonly #waiting = new Map<string, Job[]>();
  #thread: Thread | undefined;
  /** it has read files that have been read again since */
  #isOld = false;
  #current: Job | undefined;
  #idle: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(options: LongRequestOptions) {
    this.#options = options;
  }

  async answer(client: ClientRequest, context: Context, body: Uint8Array<ArrayBuffer>): Promise<void> {
    const order = { answer: requestOf(client, context, body) };
    sendAnswer(client, context, (await this.#done(order, [body.buffer], client)) as LongAnswer);
  }

  async send({ method, path, contentType, body, user }: OwnRequest): Promise<Status | undefined> {
    const bytes = new TextEncoder().encode(JSON.stringify(body));
    const headers = [
      ['accept', 'application/json'],
      ['content-type', contentType],
    ] as const;
    const order = { answer: { method, url: path, headers, user: plainUser(user), body: bytes } };
    const answer = (await this.#done(order, [bytes.buffer], { ...OWN_WORK, user })) as LongAnswer;
    return answer.status < 400 ? undefined : parseNativeJson<Status>(Buffer.from(answer.body).toString());
  }

  async form({ value, ...order }: FormOrder, waiting: Waiting): Promise<Buffer> {
    const own = value.buffer instanceof SharedArrayBuffer ? undefined : new Uint8Array(value);
    const sent = { form: { ...order, value: own ?? value } };
    const formed = (await this.#done(sent, own === undefined ? [] : [own.buffer], waiting)) as Uint8Array<ArrayBuffer>;
    return Buffer.from(formed.buffer, formed.byteOffset, formed.length);
  }

  async #done(
    order: Job['order'],
    handedOver: ArrayBuffer[],
    { signal, user, trace }: Waiting,
  ): Promise<LongAnswer | Uint8Array<ArrayBuffer>> {
    signal.throwIfAborted();
    const job: Job = { order, handedOver, done: Promise.withResolvers(), trace };
    const end = (): void => this.#abort(job, signal.reason);
    signal.addEventListener('abort', end, { once: true });
    try {
      this.#add(user?.name ?? '', job);
      return await job.done.promise;
    } finally {
      signal.removeEventListener('abort', end);
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#idle);
    const thread = this.#thread;
    this.#end(newServiceUnavailable('the server is stopping'));
    await thread?.ended;
  }

  #add(user: string, job: Job): void {
    const jobs = this.#waiting.get(user);
    if (jobs === undefined) this.#waiting.set(user, [job]);
    else jobs.push(job);
    this.#next();
  }

  /** Files have been read again: what comes next is for a thread that has read them. */
  renew(): void {
    this.#isOld = this.#thread !== undefined;
  }

  #next(): void {
    if (this.#current !== undefined) return;
    const [first] = this.#waiting;
    if (first === undefined) return this.#rest();
    clearTimeout(this.#idle);
    const [user, jobs] = first;
    this.#current = jobs.shift() as Job;
    this.#waiting.delete(user);
    if (jobs.length > 0) this.#waiting.set(user, jobs);
    const { order, handedOver } = this.#current;
    if (this.#isOld) {
      this.#thread?.end();
      this.#thread = undefined;
      this.#isOld = false;
    }
    try {
      this.#thread ??= this.#begin();
      this.#thread.order(order, handedOver);
    } catch (error) {
      this.#end(error);
    }
  }

  #rest(): void {
    clearTimeout(this.#idle);
    this.#idle = setTimeout(() => this.#end(undefined), IDLE).unref();
  }

  #begin(): Thread {
    const { storage, log, data } = this.#options;
    const served = serveStore(storage, (id) => this.#current?.trace?.at(id));
    const thread = new Thread(served, data(), (report) => {
      if (this.#thread !== thread) return;
      if ('log' in report) log[report.log](report.fields, report.message);
      else this.#finish(report);
    });
    thread.ended.then((why) => {
      if (this.#thread === thread) this.#ended(why);
      if (this.#thread === undefined && !this.#closed) this.#options.rested?.();
    });
    return thread;
  }

  /** The thread has ended by itself. */
  #ended(why: unknown): void {
    const isFull = (why as NodeJS.ErrnoException).code === 'ERR_WORKER_OUT_OF_MEMORY';
    if (isFull) this.#options.log.warn({}, 'a request needed more memory than a long request may have');
    this.#end(isFull ? tooDemanding() : why);
  }

  #finish(report: Exclude<Report, { log: unknown }>): void {
    const job = this.#current;
    this.#current = undefined;
    if ('answered' in report) job?.done.resolve(report.answered);
    else if ('formed' in report) job?.done.resolve(report.formed);
    else if ('refused' in report) job?.done.reject(new StatusError(report.refused));
    // nobody hears it where the request was given up, which is why it failed
    else job?.done.reject(new Error(`the thread for long requests has failed: ${report.failed}`));
    this.#next();
  }

  /** Ends the thread, with what it works on. */
  #end(reason: unknown): void {
    const thread = this.#thread;
    this.#thread = undefined;
    thread?.end();
    const job = this.#current;
    this.#current = undefined;
    job?.done.reject(reason);
    if (this.#closed) for (const jobs of this.#waiting.values()) for (const each of jobs) each.done.reject(reason);
    else if (this.#waiting.size > 0) this.#next();
  }

  #abort(job: Job, reason: unknown): void {
    for (const [user, jobs] of this.#waiting) {
      const index = jobs.indexOf(job);
      if (index < 0) continue;
      jobs.splice(index, 1);
      if (jobs.length === 0) this.#waiting.delete(user);
    }
    job.done.reject(reason);
    if (this.#current !== job) return;
    this.#thread?.order('abort');
    setTimeout(() => {
      if (this.#current === job) this.#end(undefined);
    }, GRACE).unref();
  }
}

/** Of a request that has cost the thread its life. */
function tooDemanding(): StatusError {
  const { status } = newRequestEntityTooLarge(0);
  return new StatusError({ ...status, message: 'Request entity too large: what it says takes more memory than a request may have' });
}

class Thread {
  /** why it has ended, which is of interest where nobody has asked it to */
  readonly ended: Promise<unknown>;
  readonly #worker: Worker;

  constructor(store: ReturnType<typeof serveStore>, data: Omit<ThreadData, 'store'>, hear: (report: Report) => void) {
    const { Worker } = process.getBuiltinModule('node:worker_threads');
    const workerData: ThreadData = { ...data, store: store.data };
    this.#worker = new Worker(new URL('./long-request-thread.js', import.meta.url), {
      workerData,
      transferList: store.handedOver,
      resourceLimits: LIMITS,
      execArgv: [],
    });
    this.#worker.unref();
    this.#worker.on('message', hear);
    this.ended = new Promise((resolve) => {
      let why: unknown = new Error('the thread for long requests has ended');
      this.#worker.on('error', (error) => {
        why = error;
      });
      this.#worker.once('exit', () => {
        store.end();
        resolve(why);
      });
    });
  }

  order(order: Order, handedOver: ArrayBuffer[] = []): void {
    this.#worker.postMessage(order, handedOver);
  }

  end(): void {
    void this.#worker.terminate();
  }
}

/** What says who asks is known already; what is of the connection is not the other thread's. */
const LEFT_OUT = /^(?:authorization|impersonate-.*|connection|keep-alive|content-length|transfer-encoding|expect|upgrade|:.*)$/;

function requestOf({ id, user, recorder, trace }: ClientRequest, { req }: Context, body: Uint8Array<ArrayBuffer>): LongRequest {
  const headers: [string, string][] = [];
  // HTTP/2 has it under another name
  const { ':authority': authority } = req.headers;
  if (typeof authority === 'string' && req.headers.host === undefined) headers.push(['host', authority]);
  for (const [name, value] of Object.entries(req.headers)) {
    if (LEFT_OUT.test(name) || name === 'audit-id' || value === undefined) continue;
    for (const each of Array.isArray(value) ? value : [value]) headers.push([name, each]);
  }
  headers.push(['audit-id', id]);
  const recording = recorder && { recording: recorder.sentForm };
  const traced = trace && { trace: trace.place };
  return { method: req.method as string, url: req.url as string, headers, user: plainUser(user), body, ...recording, ...traced };
}

/** Without what cannot leave this thread. */
const plainUser = ({ name, uid, groups, extra }: User): User => ({ name, uid, groups: [...groups], extra: { ...extra } });

function sendAnswer(client: ClientRequest, context: Context, { status, headers, body, noted, spans = [] }: LongAnswer): void {
  const { answer } = client;
  const { res } = context;
  if (noted !== undefined) passOn(client, noted);
  client.trace?.adopt(spans);
  // what the chain has set before stands in these too
  const seen = new Set<string>();
  for (const [name, value] of headers) {
    if (seen.has(name)) res.appendHeader(name, value);
    else res.setHeader(name, value);
    seen.add(name);
  }
  if (body.length === 0) return answer.sendEmpty(status);
  answer.send(status, String(res.getHeader('content-type')), Buffer.from(body.buffer, body.byteOffset, body.length));
}

function passOn(client: ClientRequest, { annotations, sent, outcome }: Noted): void {
  for (const [key, value] of annotations) client.annotate(key, value);
  if (sent !== undefined) client.recorder?.sentElsewhere(sent);
  if (outcome !== undefined) client.recorder?.outcome(outcome);
}
