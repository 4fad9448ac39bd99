/** A request that is seated, or waits for seats, at a priority level. */
import type { Member } from '../collections/member-list.ts';
import { type FlowQueue, type QueuedRequest, SERVICE } from './flow-queue.ts';
import type { WorkEstimate } from './work-estimate.ts';

/** Why a request is refused, in the words of 1.32. */
export type RefusalReason = 'queue-full' | 'concurrency-limit' | 'time-out' | 'cancelled';

export class Place<Owner> implements Member, QueuedRequest {
  /** its index in the list of seated requests (`MemberList`); undefined while it is not seated */
  place: number | undefined = undefined;
  readonly owner: Owner;
  readonly queue: FlowQueue<Place<unknown>> | undefined;
  readonly initialSeats: number;
  finalSeats: number;
  additionalLatency: number;
  /** milliseconds of the clock */
  readonly arrived: number;
  /** milliseconds of the clock at which it was last seated; undefined while it waits */
  started: number | undefined;
  /** whether it has waited, is seated now, and has not begun yet */
  isStarting = false;
  /** whether it was seated and has lent its seats to others until it goes on */
  isResting = false;
  /** milliseconds that it was seated in all before its last rest; undefined: it has never rested */
  seatedBefore: number | undefined;
  /** R when it arrived, or when it began to wait again after a rest */
  arrivalWork: number;
  /** is called once when a wait ends; without a reason the request is seated, otherwise it is refused */
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

  /** the estimate of its work in seats times milliseconds */
  get work(): number {
    return this.initialSeats * SERVICE + this.finalSeats * this.additionalLatency;
  }
}

/** Ends a wait: calls `settled`, and never twice for the same wait. */
export function settle(place: Place<unknown>, reason: RefusalReason | undefined): void {
  const { settled } = place;
  place.settled = undefined;
  settled?.(reason);
}
