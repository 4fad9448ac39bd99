/** A work queue of a controller: its work takes turns with all other work of the server, and has metrics. */
import { WorkQueue as AnyWorkQueue, type WorkQueueOptions as AnyWorkQueueOptions } from '../../client/work-queue/work-queue.ts';
import { turn } from '../../event-loop/turns.ts';
import type { Metrics } from '../../observability/metrics.ts';
import { WorkQueueMetrics } from './work-queue-metrics.ts';

export interface WorkQueueOptions extends Omit<AnyWorkQueueOptions, 'turn' | 'observer'> {
  /** the queue's name in metrics, which is that of 1.32 if 1.32 has such a queue */
  readonly name: string;
  /** undefined if the queue has no metrics */
  readonly metrics: Metrics | undefined;
}

export class WorkQueue extends AnyWorkQueue {
  constructor({ name, metrics, ...options }: WorkQueueOptions) {
    super({ ...options, turn, ...(metrics && { observer: new WorkQueueMetrics(metrics, name) }) });
  }
}
