/** The serving thread's handle of the thread for long requests. */
import type { EventLoopUtilization } from 'node:perf_hooks';
import type { ResourceLimits, Worker } from 'node:worker_threads';
import type { serveStore } from '../../storage/remote/serve-store.ts';
import type { Order, Report, ThreadData } from './long-request-messages.ts';

/** In MiB. A body of 3 MiB, the longest that is accepted, becomes an object within it. */
const LIMITS: ResourceLimits = { maxOldGenerationSizeMb: 1024, maxYoungGenerationSizeMb: 32, stackSizeMb: 8 };

export class LongRequestWorker {
  /** resolves with the reason when the thread has ended, whether or not `end` was called */
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

  /** The share of time since the last call in which the thread has worked, 0 to 1. Waiting, such as for a webhook, is no work. */
  looked(): number {
    const now = this.#worker.performance.eventLoopUtilization();
    const before = this.#looked;
    this.#looked = now;
    const active = now.active - (before?.active ?? 0);
    const idle = now.idle - (before?.idle ?? 0);
    // a thread that has not started counts as busy
    return active + idle > 0 ? active / (active + idle) : 1;
  }

  end(): void {
    void this.#worker.terminate();
  }
}
