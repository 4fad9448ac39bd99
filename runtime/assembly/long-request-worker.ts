/** The thread for requests that are much work, as the one that serves sees it. */
import type { EventLoopUtilization } from 'node:perf_hooks';
import type { ResourceLimits, Worker } from 'node:worker_threads';
import type { serveStore } from '../storage/remote/serve-store.ts';
import type { Order, Report, ThreadData } from './long-request-messages.ts';

/** MiB. What a body of 3 MiB may become on its way to an object. */
const LIMITS: ResourceLimits = { maxOldGenerationSizeMb: 1024, maxYoungGenerationSizeMb: 32, stackSizeMb: 8 };

export class LongRequestWorker {
  /** why it has ended, which is of interest where nobody has asked it to */
  readonly ended: Promise<unknown>;
  readonly #worker: Worker;
  #looked: EventLoopUtilization | undefined;

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

  /** How much of the time since the last look it has worked: 0 to 1. What it waits for, such as a webhook, is no work. */
  looked(): number {
    const now = this.#worker.performance.eventLoopUtilization();
    const before = this.#looked;
    this.#looked = now;
    const active = now.active - (before?.active ?? 0);
    const idle = now.idle - (before?.idle ?? 0);
    // until it runs nothing is known of it
    return active + idle > 0 ? active / (active + idle) : 1;
  }

  end(): void {
    void this.#worker.terminate();
  }
}
