/** Work queues of controllers: their keys have their turns among all else that the server does, and are counted. */
import { WorkQueue as AnyWorkQueue, type WorkQueueOptions as AnyWorkQueueOptions } from '../client/work-queue/work-queue.ts';
import type { Metrics } from '../observability/metrics.ts';
import { turn } from '../registry/event-loop-turns.ts';
import { WorkQueueMetrics } from './work-queue-metrics.ts';

export interface WorkQueueOptions extends Omit<AnyWorkQueueOptions, 'turn' | 'observer'> {
  /** by which the queue is counted, as 1.32 calls it where it has one */
  readonly name: string;
  /** absent: it is not counted */
  readonly metrics: Metrics | undefined;
}

export class WorkQueue extends AnyWorkQueue {
  constructor({ name, metrics, ...options }: WorkQueueOptions) {
    super({ ...options, turn, ...(metrics && { observer: new WorkQueueMetrics(metrics, name) }) });
  }
}
