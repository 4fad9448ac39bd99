/** Work queues of controllers: their keys have their turns among all else that the server does. */
import { WorkQueue as AnyWorkQueue, type WorkQueueOptions as AnyWorkQueueOptions } from '../client/work-queue/work-queue.ts';
import { turn } from '../registry/event-loop-turns.ts';

export type WorkQueueOptions = Omit<AnyWorkQueueOptions, 'turn'>;

export class WorkQueue extends AnyWorkQueue {
  constructor(options: WorkQueueOptions) {
    super({ ...options, turn });
  }
}
