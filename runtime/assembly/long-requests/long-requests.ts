/** Sends long requests and orders for forms of long objects to the thread that does them, and receives the results. */

import type { MessagePort } from 'node:worker_threads';
import type { Context } from 'koa';
import { OWN_WORK, type RequestContext } from '../../contract/request-context.ts';
import type { Trace } from '../../contract/trace.ts';
import type { LongRequests, OwnRequest } from '../../endpoints/long-body.ts';
import type { FormOrder } from '../../endpoints/long-form.ts';
import type { ClientRequest } from '../../endpoints/request/client-request.ts';
import type { Figures } from '../../observability/figures.ts';
import type { Log } from '../../observability/log.ts';
import { parseNativeJson } from '../../schema/json/native-json.ts';
import { newRequestEntityTooLarge, newServiceUnavailable, type Status, StatusError } from '../../status/status.ts';
import { serveStore } from '../../storage/remote/serve-store.ts';
import type { Storage } from '../../storage/storage.ts';
import { plainUser, requestOf, sendAnswer } from './long-request-answer.ts';
import type { Done, LongAnswer, Task, ThreadData } from './long-request-messages.ts';
import { LongRequestTurns } from './long-request-turns.ts';
import { LongRequestWorker } from './long-request-worker.ts';

/** Milliseconds after which an idle thread is ended, which frees its whole heap. */
const IDLE = 5_000;
/** Milliseconds that an aborted request may go on before the thread is ended. */
const GRACE = 2_000;
/** Milliseconds of work for aborted requests after which the thread is ended even if others wait for it too. */
const MOST_GRACE = 10_000;
/** Milliseconds between two looks at whether the thread is waiting, while there is more to do. */
const LOOK = 10;
/** A thread that has worked for less than this share of the time is waiting for others. Above the second share it is busy. */
const WAITS_BELOW = 0.5;
const BUSY_ABOVE = 0.9;

/** Whom a result is for. */
type Waiting = Pick<RequestContext, 'user' | 'signal' | 'trace'>;

interface Job {
  readonly id: number;
  readonly user: string;
  /** size of the body or object */
  readonly bytes: number;
  readonly task: Task;
  /** buffers that are transferred to the thread */
  readonly handedOver: ArrayBuffer[];
  readonly done: PromiseWithResolvers<LongAnswer | Uint8Array<ArrayBuffer>>;
  /** trace of the request that waits for the job; absent: it is not traced */
  readonly trace: Trace | undefined;
  /** whether nobody waits for the job any longer */
  isAborted: boolean;
}

/** Bytes of the webhook answers that accompany a request. */
function heardBytes(task: Task): number {
  const answers = 'answer' in task ? (task.answer.heard?.answers ?? []) : [];
  return answers.reduce((sum, { answer }) => sum + (answer instanceof Uint8Array ? answer.length : 0), 0);
}

export interface LongRequestOptions {
  readonly storage: Storage;
  readonly log: Log;
  readonly data: () => Omit<ThreadData, 'store'>;
  /** receives the metrics that the thread has counted */
  readonly counted: (figures: Figures) => void;
  /** receives the far ends of connections that the thread makes to this server */
  readonly takePort: (port: MessagePort) => void;
  /** is called when the thread has ended and its memory is free, and no other thread has replaced it */
  readonly rested?: () => void;
}

/** Users take turns, so that a user with many long requests delays only their own. */
export class ThreadedRequests implements LongRequests {
  readonly #options: LongRequestOptions;
  readonly #turns = new LongRequestTurns<Job>();
  #thread: LongRequestWorker | undefined;
  /** files were read again after the thread had read them */
  #isOld = false;
  #latestId = 0;
  #idle: NodeJS.Timeout | undefined;
  #looking: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(options: LongRequestOptions) {
    this.#options = options;
  }

  async answer(client: ClientRequest, context: Context, body: Uint8Array<ArrayBuffer>): Promise<void> {
    const task = { answer: requestOf(client, context, body) };
    sendAnswer(client, context, (await this.#done(task, body, client)) as LongAnswer);
  }

  async send({ method, path, contentType, body, user, skipsAdmission }: OwnRequest): Promise<Status | undefined> {
    const bytes = new TextEncoder().encode(JSON.stringify(body));
    const headers = [
      ['accept', 'application/json'],
      ['content-type', contentType],
    ] as const;
    const task = { answer: { method, url: path, headers, user: plainUser(user), body: bytes, ...(skipsAdmission && { skipsAdmission }) } };
    const answer = (await this.#done(task, bytes, { ...OWN_WORK, user })) as LongAnswer;
    return answer.status < 400 ? undefined : parseNativeJson<Status>(Buffer.from(answer.body).toString());
  }

  async form({ value, ...order }: FormOrder, waiting: Waiting): Promise<Buffer> {
    const own = value.buffer instanceof SharedArrayBuffer ? undefined : new Uint8Array(value);
    const task = { form: { ...order, value: own ?? value } };
    const formed = (await this.#done(task, own ?? value, waiting)) as Uint8Array<ArrayBuffer>;
    return Buffer.from(formed.buffer, formed.byteOffset, formed.length);
  }

  async #done(task: Task, { buffer, length }: Uint8Array, { signal, user, trace }: Waiting): Promise<LongAnswer | Uint8Array<ArrayBuffer>> {
    signal.throwIfAborted();
    const id = ++this.#latestId;
    const done: Job['done'] = Promise.withResolvers();
    const job: Job = {
      id,
      user: user?.name ?? '',
      bytes: length + heardBytes(task),
      task,
      handedOver: ownOf(buffer),
      done,
      trace,
      isAborted: false,
    };
    const end = (): void => this.#abort(job, signal.reason);
    signal.addEventListener('abort', end, { once: true });
    try {
      this.#turns.add(job);
      this.#next();
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

  /** Files have been read again: the next request goes to a new thread, which reads them too. */
  renew(): void {
    this.#isOld = this.#thread !== undefined;
  }

  #next(): void {
    if (this.#turns.underWay.size > 0) return this.#look();
    const job = this.#turns.next();
    if (job === undefined) return this.#rest();
    clearTimeout(this.#idle);
    if (this.#isOld) {
      this.#thread?.end();
      this.#thread = undefined;
      this.#isOld = false;
    }
    this.#begin(job);
  }

  #begin({ id, task, handedOver }: Job): void {
    try {
      this.#thread ??= this.#newThread();
      this.#thread.order({ id, ...task }, handedOver);
      if (this.#turns.isAnyWaiting) this.#look();
    } catch (error) {
      this.#end(error);
    }
  }

  /**
   * While requests wait, checks at intervals whether the thread is only waiting for other servers, so that it has time for another request.
   */
  #look(): void {
    if (this.#looking !== undefined || !this.#turns.isAnyWaiting) return;
    this.#thread?.looked();
    this.#looking = setTimeout(() => {
      this.#looking = undefined;
      const isFree = this.#thread !== undefined && !this.#isOld && this.#thread.looked() < WAITS_BELOW;
      const job = isFree ? this.#turns.next() : undefined;
      if (job !== undefined) this.#begin(job);
      this.#look();
    }, LOOK).unref();
  }

  #rest(): void {
    clearTimeout(this.#idle);
    this.#idle = setTimeout(() => this.#end(undefined), IDLE).unref();
  }

  #newThread(): LongRequestWorker {
    const { storage, log, data } = this.#options;
    const served = serveStore(storage, (id) => this.#onlyTrace()?.at(id));
    const thread = new LongRequestWorker(served, data(), (report) => {
      if (this.#thread !== thread) return;
      if ('port' in report) this.#options.takePort(report.port);
      else if ('log' in report) log[report.log](report.fields, report.message);
      else this.#finish(report);
    });
    thread.ended.then((why) => {
      if (this.#thread === thread) this.#ended(why);
      if (this.#thread === undefined && !this.#closed) this.#options.rested?.();
    });
    return thread;
  }

  /** The trace to which reads of the store belong. With several requests under way, that is unknown. */
  #onlyTrace(): Trace | undefined {
    const [job, ...others] = this.#turns.underWay;
    return others.length === 0 ? job?.trace : undefined;
  }

  /** Handles a thread that has ended by itself. */
  #ended(why: unknown): void {
    const isFull = (why as NodeJS.ErrnoException).code === 'ERR_WORKER_OUT_OF_MEMORY';
    if (isFull) this.#options.log.warn({}, 'a request needed more memory than a long request may have');
    if (this.#turns.underWay.size > 1) this.#end(newServiceUnavailable(LOST));
    else this.#end(isFull ? tooDemanding() : why);
  }

  #finish(report: Done): void {
    if (report.figures !== undefined) this.#options.counted(report.figures);
    const job = [...this.#turns.underWay].find(({ id }) => id === report.id);
    if (job === undefined) return;
    this.#turns.remove(job);
    if ('answered' in report) job.done.resolve(report.answered);
    else if ('formed' in report) job.done.resolve(report.formed);
    else if ('refused' in report) job.done.reject(new StatusError(report.refused));
    // if the request was aborted, this is why it failed, and nobody waits for it
    else job.done.reject(new Error(`the thread for long requests has failed: ${report.failed}`));
    this.#next();
  }

  /** Ends the thread and rejects the requests that it works on. */
  #end(reason: unknown): void {
    const thread = this.#thread;
    this.#thread = undefined;
    thread?.end();
    for (const job of this.#turns.removeUnderWay()) job.done.reject(reason);
    if (this.#closed) for (const job of this.#turns.removeWaiting()) job.done.reject(reason);
    else if (this.#turns.isAnyWaiting) this.#next();
  }

  #abort(job: Job, reason: unknown): void {
    job.isAborted = true;
    job.done.reject(reason);
    if (!this.#turns.underWay.has(job)) return void this.#turns.remove(job);
    this.#thread?.order({ abort: job.id });
    this.#watch(job, performance.now());
  }

  /**
   * Ends the thread when only aborted requests are left on it, or when it has worked for more than 10 seconds after an abort although
   * others wait for it too.
   */
  #watch(job: Job, since: number): void {
    const thread = this.#thread;
    thread?.looked();
    setTimeout(() => {
      if (thread === undefined || this.#thread !== thread || !this.#turns.underWay.has(job)) return;
      const isBusy = thread.looked() > BUSY_ABOVE;
      const isWanted = [...this.#turns.underWay].some((each) => !each.isAborted);
      if (isWanted && (!isBusy || performance.now() - since < MOST_GRACE)) this.#watch(job, isBusy ? since : performance.now());
      else this.#end(isWanted ? newServiceUnavailable(LOST) : undefined);
    }, GRACE).unref();
  }
}

/** Shared memory needs no transfer. */
const ownOf = (buffer: ArrayBufferLike): ArrayBuffer[] => (buffer instanceof ArrayBuffer ? [buffer] : []);

const LOST = 'the request was given up with another one that took all memory or time: whether it was done is not known';

/** The answer to a request for which the thread ran out of memory. */
function tooDemanding(): StatusError {
  const { status } = newRequestEntityTooLarge(0);
  return new StatusError({ ...status, message: 'Request entity too large: what it says takes more memory than a request may have' });
}
