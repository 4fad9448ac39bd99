/** Sends long documents of other API servers to the thread that reads them, one at a time, and receives the results. */
import type { ResourceLimits, Worker } from 'node:worker_threads';
import type { DocumentThread, WorkName, WorkOrder, WorkResult } from '../../aggregation/document-work.ts';
import type { Log } from '../../observability/log.ts';

export interface DocumentOrder {
  readonly name: WorkName;
  readonly order: WorkOrder<WorkName>;
}

/** `failed` is the message of the error that the work has thrown. */
export type DocumentReport = { readonly result: unknown } | { readonly failed: string };

/** Milliseconds after which an idle thread is ended, which frees its whole heap. */
const IDLE = 5_000;
/** Milliseconds that one order may take. A document of 8 MB takes one to two seconds. */
const LONGEST = 60_000;
/** In MiB. Documents of 8 MB, the longest that are accepted, fit into it. */
const LIMITS: ResourceLimits = { maxOldGenerationSizeMb: 1024, maxYoungGenerationSizeMb: 32, stackSizeMb: 8 };

interface Job extends DocumentOrder {
  readonly done: PromiseWithResolvers<unknown>;
}

export class DocumentThreads implements DocumentThread {
  readonly #log: Pick<Log, 'warn'>;
  readonly #rested: (() => void) | undefined;
  readonly #longest: number;
  readonly #waiting: Job[] = [];
  #current: Job | undefined;
  #thread: Worker | undefined;
  /** ends the thread when an order takes too long, or when the thread has been idle */
  #timer: NodeJS.Timeout | undefined;
  #closed = false;

  /** @param rested is called when an idle thread has ended and its memory is free. @param longest milliseconds that one order may take */
  constructor(log: Pick<Log, 'warn'>, rested: (() => void) | undefined, longest = LONGEST) {
    this.#log = log;
    this.#rested = rested;
    this.#longest = longest;
  }

  async work<N extends WorkName>(name: N, order: WorkOrder<N>): Promise<WorkResult<N>> {
    if (this.#closed) throw new Error('the server is stopping');
    const job: Job = { name, order, done: Promise.withResolvers() };
    this.#waiting.push(job);
    this.#next();
    return (await job.done.promise) as WorkResult<N>;
  }

  async close(): Promise<void> {
    this.#closed = true;
    const reason = new Error('the server is stopping');
    for (const { done } of this.#waiting.splice(0)) done.reject(reason);
    await this.#end(reason);
  }

  #next(): void {
    if (this.#current !== undefined) return;
    this.#current = this.#waiting.shift();
    if (this.#current === undefined) return this.#await(IDLE, () => undefined);
    const { name, order } = this.#current;
    try {
      this.#thread ??= this.#begin();
      this.#await(this.#longest, () => new Error(`it takes longer than ${this.#longest} ms`));
      this.#thread.postMessage({ name, order } satisfies DocumentOrder, handedOver(order));
    } catch (error) {
      void this.#end(error as Error);
    }
  }

  #await(time: number, why: () => Error | undefined): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#end(why()), time).unref();
  }

  #begin(): Worker {
    const { Worker } = process.getBuiltinModule('node:worker_threads');
    const thread = new Worker(new URL('./document-thread.js', import.meta.url), { resourceLimits: LIMITS, execArgv: [] });
    thread.unref();
    thread.on('message', (report: DocumentReport) => {
      if (this.#thread === thread) this.#finish(report);
    });
    thread.on('error', (error: Error) => {
      if (this.#thread === thread) void this.#end(error);
    });
    thread.once('exit', () => {
      if (this.#thread === undefined && !this.#closed) this.#rested?.();
    });
    return thread;
  }

  #finish(report: DocumentReport): void {
    const job = this.#current;
    this.#current = undefined;
    if ('result' in report) job?.done.resolve(report.result);
    else job?.done.reject(new Error(report.failed));
    this.#next();
  }

  /** Ends the thread. @param why the reason why the current order has failed; undefined: the thread was idle */
  async #end(why: Error | undefined): Promise<void> {
    clearTimeout(this.#timer);
    const job = this.#current;
    const thread = this.#thread;
    this.#current = undefined;
    this.#thread = undefined;
    if (job !== undefined && why !== undefined) {
      if (!this.#closed) this.#log.warn({ err: why, work: job.name }, 'what another API server says of itself was not read');
      job.done.reject(why);
    }
    if (this.#waiting.length > 0) this.#next();
    await thread?.terminate();
  }
}

/** The body of an order is transferred instead of copied, because nobody else uses it. */
function handedOver(order: object): ArrayBuffer[] {
  if (!('body' in order)) return [];
  const { buffer, length } = order.body as Uint8Array;
  // short values share a buffer of Node's pool with others, which must not be transferred
  return buffer instanceof ArrayBuffer && length === buffer.byteLength ? [buffer] : [];
}
