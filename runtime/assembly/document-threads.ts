/** Long documents of other servers on their way to the thread that reads them, one after the other, and what comes back. */
import type { ResourceLimits, Worker } from 'node:worker_threads';
import type { DocumentThread, WorkName, WorkOrder, WorkResult } from '../aggregation/document-work.ts';
import type { Log } from '../observability/log.ts';

export interface DocumentOrder {
  readonly name: WorkName;
  readonly order: WorkOrder<WorkName>;
}

/** `failed`: the work refuses it. */
export type DocumentReport = { readonly result: unknown } | { readonly failed: string };

/** Milliseconds after which a thread without work ends, and with it all memory that it has. */
const IDLE = 5_000;
/** Milliseconds for one order: a document of 8 MB takes a second or two. */
const LONGEST = 60_000;
/** MiB: as much as documents of 8 MB become. */
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
  /** when the thread has worked, or rested, for too long */
  #timer: NodeJS.Timeout | undefined;
  #closed = false;

  /** @param rested called when the thread has ended, with all memory that it had. @param longest milliseconds for one order */
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

  /** Ends the thread. @param why it cannot do what it works on; undefined: it does nothing */
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

/** A body is of no use to anybody else. */
function handedOver(order: object): ArrayBuffer[] {
  if (!('body' in order)) return [];
  const { buffer, length } = order.body as Uint8Array;
  // short ones lie in memory that others are in too
  return buffer instanceof ArrayBuffer && length === buffer.byteLength ? [buffer] : [];
}
