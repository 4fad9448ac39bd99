/** A request that is seated, or waits for seats, at a priority level. */
import type { Member } from '../collections/member-list.ts';
import { type FlowQueue, type QueuedRequest, SERVICE } from './flow-queue.ts';
import type { WorkEstimate } from './work-estimate.ts';

/** What a request is refused for, in the words of 1.32. */
export type RefusalReason = 'queue-full' | 'concurrency-limit' | 'time-out' | 'cancelled';

export class Place<Owner> implements Member, QueuedRequest {
  /** among those that are seated */
  place: number | undefined = undefined;
  readonly owner: Owner;
  readonly queue: FlowQueue<Place<unknown>> | undefined;
  readonly initialSeats: number;
  finalSeats: number;
  additionalLatency: number;
  /** of the clock */
  readonly arrived: number;
  /** of the clock, when it was seated the last time; undefined while it waits */
  started: number | undefined;
  /** it has waited, is seated, and has not begun yet */
  isStarting = false;
  /** it was seated, and others have its seats until it goes on */
  isResting = false;
  /** milliseconds that it was seated before it rested the last time; undefined: it never has */
  seatedBefore: number | undefined;
  /** R */
  arrivalWork: number;
  /** told once when the request has waited: it is seated, or has gone */
  settled: ((reason: RefusalReason | undefined) => void) | undefined;

  constructor(owner: Owner, queue: FlowQueue<Place<unknown>> | undefined, work: WorkEstimate, arrived: number, arrivalWork: number) {
    this.owner = owner;
    this.queue = queue;
    this.initialSeats = work.initialSeats;
    this.finalSeats = work.finalSeats;
    this.additionalLatency = work.additionalLatency;
    this.arrived = arrived;
    this.arrivalWork = arrivalWork;
  }

  get seats(): number {
    return this.finalSeats > this.initialSeats ? this.finalSeats : this.initialSeats;
  }

  get isSeated(): boolean {
    return this.started !== undefined;
  }

  /** seats times milliseconds, as far as it is known beforehand */
  get work(): number {
    return this.initialSeats * SERVICE + this.finalSeats * this.additionalLatency;
  }
}

/** Once for each wait. */
export function settle(place: Place<unknown>, reason: RefusalReason | undefined): void {
  const { settled } = place;
  place.settled = undefined;
  settled?.(reason);
}
