/** What waits in one work queue and how long its work takes, counted under the names of 1.32. */
import type { WorkQueueObserver } from '../../client/work-queue/work-queue.ts';
import type { Count, Distribution, Metrics } from '../../observability/metrics.ts';

const MILLISECONDS = 1_000;

export class WorkQueueMetrics implements WorkQueueObserver {
  readonly #now: () => number;
  readonly #adds: Count;
  readonly #retries: Count;
  readonly #waited: Distribution;
  readonly #worked: Distribution;
  /** milliseconds at which keys began to wait */
  readonly #waiting = new Map<string, number>();
  /** milliseconds at which the work of keys began */
  readonly #running = new Map<string, number>();
  readonly #endShowing: () => void;

  /** @param name of the queue */
  constructor(metrics: Metrics, name: string, now: () => number = () => performance.now()) {
    this.#now = now;
    this.#adds = metrics.counter('workqueue_adds_total').with({ name });
    this.#retries = metrics.counter('workqueue_retries_total').with({ name });
    this.#waited = metrics.histogram('workqueue_queue_duration_seconds').with({ name });
    this.#worked = metrics.histogram('workqueue_work_duration_seconds').with({ name });
    const depth = metrics.gauge('workqueue_depth');
    const unfinished = metrics.gauge('workqueue_unfinished_work_seconds');
    const longest = metrics.gauge('workqueue_longest_running_processor_seconds');
    const show = (waiting: number, running: readonly number[]): void => {
      depth.set({ name }, waiting);
      unfinished.set(
        { name },
        running.reduce((sum, seconds) => sum + seconds, 0),
      );
      longest.set({ name }, Math.max(0, ...running));
    };
    this.#endShowing = () => {
      endListening();
      show(0, []);
    };
    const endListening = metrics.beforeScrape(() => {
      const running = Array.from(this.#running.values(), (begun) => this.#since(begun));
      show(this.#waiting.size, running);
    });
  }

  added(key: string): void {
    this.#adds.inc();
    this.#waiting.set(key, this.#now());
  }

  begun(key: string): void {
    const now = this.#now();
    const added = this.#waiting.get(key);
    this.#waiting.delete(key);
    if (added !== undefined) this.#waited.observe((now - added) / MILLISECONDS);
    this.#running.set(key, now);
  }

  ended(key: string): void {
    const begun = this.#running.get(key);
    this.#running.delete(key);
    if (begun !== undefined) this.#worked.observe(this.#since(begun));
  }

  retried(): void {
    this.#retries.inc();
  }

  /** Another queue of its name may be counted from now on. What is under way still ends with this one. */
  stopped(): void {
    this.#waiting.clear();
    this.#endShowing();
  }

  #since(begun: number): number {
    return (this.#now() - begun) / MILLISECONDS;
  }
}
