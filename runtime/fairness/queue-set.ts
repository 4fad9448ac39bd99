/**
 * The queues of one priority level. They share the seats fairly among flows as in 1.32, by a virtual time that is called R and measured in seat-milliseconds.
 *
 *   start -> refused
 *         -> seated at once
 *         -> waits in the shortest queue of its hand -> seated, or refused when its time is over or its client is gone
 *   seated -> answered -> (seats stay taken for the events of a write) -> others are seated
 *   seated -> rests while its client reads the answer -> others are seated -> waits, or is seated again at once
 *
 * While nobody waits and seats are free, a request costs two readings of the clock and a few additions.
 */
import { MemberList } from '../collections/member-list.ts';
import type { FlowClock } from './flow-clock.ts';
import { FlowQueue } from './flow-queue.ts';
import { LastingCount } from './lasting-count.ts';
import { Place, type RefusalReason, settle } from './place.ts';
import { SeatDemand } from './seat-demand.ts';
import type { WorkEstimate } from './work-estimate.ts';

/** How a level admits requests: it runs all (`exempt`), refuses those without seats (`reject`), or has them wait in queues (`queue`). */
export interface QueueSetForm {
  readonly kind: 'exempt' | 'reject' | 'queue';
  /** the number of queues; 0 unless the kind is `queue` */
  readonly queues: number;
  readonly queueLength: number;
}

/** What has happened to the requests of a level since the server started. */
export interface QueueSetCounts {
  dispatched: number;
  rejected: number;
  timedOut: number;
  cancelled: number;
}

/** What dumps and metrics read of a queue. */
export interface QueueView<Owner> {
  readonly waiting: ReadonlySet<Place<Owner>>;
  readonly executing: number;
  readonly seatsInUse: number;
  readonly nextDispatch: number;
  readonly initialSeats: number;
  readonly maxSeats: number;
  readonly work: number;
}

type Queue = FlowQueue<Place<unknown>>;

export class QueueSet<Owner> {
  readonly demand: SeatDemand;
  /** for how long so many seats were in use, requests were seated, and others waited, and for how long so many seats were wanted */
  readonly lasting: Readonly<Record<'seats' | 'executing' | 'waiting' | 'demand', LastingCount>>;
  readonly counts: QueueSetCounts = { dispatched: 0, rejected: 0, timedOut: 0, cancelled: 0 };
  /** is called each time the next request in turn needs more seats than are free */
  noRoomFor?(owner: Owner): void;
  readonly #clock: FlowClock;
  /** may be more than the form says: surplus queues stay until they are empty */
  #queues: Queue[] = [];
  #form: QueueSetForm;
  #limit: number;
  readonly #seated = new MemberList<Place<Owner>>();
  #waiting = 0;
  #seatsWaiting = 0;
  #seatsInUse = 0;
  #activeQueues = 0;
  readonly #mostStarting: number;
  #starting = 0;
  /** R at `#lastTime` */
  #virtualTime = 0;
  #lastTime: number;
  #robin = 0;
  #enqueued = 0;

  /**
   * @param limit how many seats the level has
   * @param mostStarting the most requests that were seated after a wait and have not begun: a slow server so decides late, and fairly, who is next
   */
  constructor(clock: FlowClock, form: QueueSetForm, limit: number, mostStarting = Number.POSITIVE_INFINITY) {
    this.#clock = clock;
    this.#mostStarting = mostStarting;
    this.#lastTime = clock.now();
    this.demand = new SeatDemand(this.#lastTime);
    const counted = (): LastingCount => new LastingCount(this.#lastTime);
    this.lasting = { seats: counted(), executing: counted(), waiting: counted(), demand: counted() };
    this.#form = form;
    this.#limit = limit;
    this.#fitQueues();
  }

  get limit(): number {
    return this.#limit;
  }

  /** how many requests may wait */
  get room(): number {
    return this.#form.queues * this.#form.queueLength;
  }

  get waiting(): number {
    return this.#waiting;
  }

  get executing(): number {
    return this.#seated.size;
  }

  get seatsInUse(): number {
    return this.#seatsInUse;
  }

  get isIdle(): boolean {
    return this.#waiting === 0 && this.#seated.size === 0;
  }

  get queues(): readonly QueueView<Owner>[] {
    return this.#queues as unknown as QueueView<Owner>[];
  }

  /** the requests that run now, in no particular order */
  get seated(): Iterable<Place<Owner>> {
    return this.#seated;
  }

  /** Changes the form and the limit. Requests that wait stay in their queues. */
  change(form: QueueSetForm, limit: number): void {
    this.#sync();
    this.#form = form;
    this.#limit = limit;
    this.#fitQueues();
    this.#dispatchAll();
  }

  #fitQueues(): void {
    const { queues } = this.#form;
    while (this.#queues.length < queues) this.#queues.push(new FlowQueue());
    this.#dropEmpty();
  }

  #dropEmpty(): void {
    const { queues } = this.#form;
    if (this.#queues.length <= queues) return;
    this.#queues = this.#queues.filter((queue, index) => index < queues || queue.isActive || queue.seatsInUse > 0);
    this.#robin = 0;
  }

  /**
   * @param hand the indices of the queues that the request's flow may use; ignored by levels without queues
   * @returns its place, or why it was refused. If the place is not seated, `settled` must be set before the next turn of the event loop
   */
  start(owner: Owner, work: WorkEstimate, hand: readonly number[]): Place<Owner> | RefusalReason {
    const now = this.#sync();
    if (this.#form.kind === 'queue') return this.#startInQueue(owner, work, hand, now);
    const place = new Place(owner, undefined, work, now, this.#virtualTime);
    if (this.#form.kind === 'reject' && !this.#hasRoom(place.seats)) {
      this.counts.rejected++;
      return 'concurrency-limit';
    }
    this.#seat(place, now);
    return place;
  }

  #startInQueue(owner: Owner, work: WorkEstimate, hand: readonly number[], now: number): Place<Owner> | RefusalReason {
    const queue = this.#shortest(hand);
    const isFull = queue.waiting.size >= this.#form.queueLength;
    // a full queue does not matter if nobody waits and seats are free; but requests may wait with seats free too, for others to begin or for more seats
    if (isFull && (this.#waiting > 0 || this.#seatsInUse >= this.#limit)) {
      this.counts.rejected++;
      return 'queue-full';
    }
    const place = new Place(owner, queue, work, now, this.#virtualTime);
    this.#activate(queue);
    if (this.#waiting === 0 && this.#hasRoom(place.seats)) {
      this.#fitFinalSeats(place);
      this.#seat(place, now);
      return place;
    }
    this.#enqueue(place, queue);
    this.#note(now);
    this.#dispatchAll();
    return place;
  }

  #enqueue(place: Place<Owner>, queue: Queue): void {
    queue.add(place);
    this.#waiting++;
    this.#seatsWaiting += place.seats;
  }

  /** @returns the queue of the hand with the least work. The search begins at another queue each time, so that ties are not always won by the same one */
  #shortest(hand: readonly number[]): Queue {
    const offset = this.#enqueued++ % hand.length;
    let best: Queue | undefined;
    for (let i = 0; i < hand.length; i++) {
      const queue = this.#queues[hand[(offset + i) % hand.length] as number] as Queue;
      if (best === undefined || queue.work < best.work) best = queue;
    }
    return best as Queue;
  }

  /** A level without seats never has room. A request that wants more seats than the level has runs when it is alone. */
  #hasRoom(seats: number): boolean {
    if (this.#limit === 0) return false;
    if (seats > this.#limit) return this.#seated.size === 0;
    return this.#seatsInUse + seats <= this.#limit;
  }

  /** Bounds the final seats by the limit. The same work on fewer seats takes longer. */
  #fitFinalSeats(place: Place<Owner>): void {
    if (place.finalSeats <= this.#limit) return;
    place.additionalLatency = (place.finalSeats * place.additionalLatency) / this.#limit;
    place.finalSeats = this.#limit;
  }

  #dispatchAll(): void {
    while (this.#waiting !== 0 && this.#seatsInUse < this.#limit) if (!this.#dispatch(this.#starting >= this.#mostStarting)) return;
  }

  /**
   * @param quiet considers only queues of which nothing runs. It is set when enough requests are about to begin: these may be pieces of long work, and a flow
   * that asks only now and then need not wait for them
   * @returns whether a request was seated
   */
  #dispatch(quiet: boolean): boolean {
    let found: Queue | undefined;
    let foundAt = 0;
    let earliest = Number.POSITIVE_INFINITY;
    // 1.32 charges a fixed time for a request until it ends; if all last longer, a new flow would wait behind work that others are not yet charged for
    const isPaced = this.#mostStarting !== Number.POSITIVE_INFINITY;
    const count = this.#queues.length;
    for (let step = 1; step <= count; step++) {
      const at = (this.#robin + step) % count;
      const queue = this.#queues[at] as Queue;
      const { oldest } = queue;
      if (oldest === undefined || (quiet && queue.executing > 0)) continue;
      const finish = queue.nextDispatch + oldest.work + (isPaced ? queue.overdue(this.#lastTime) : 0);
      if (finish < earliest) [earliest, found, foundAt] = [finish, queue, at];
    }
    const place = found?.oldest as Place<Owner> | undefined;
    if (found === undefined || place === undefined) return false;
    if (!this.#hasRoom(place.seats)) {
      this.noRoomFor?.(place.owner);
      return false;
    }
    this.#robin = foundAt;
    found.take(place);
    this.#waiting--;
    this.#seatsWaiting -= place.seats;
    this.#fitFinalSeats(place);
    this.#seat(place, this.#lastTime);
    place.isStarting = true;
    this.#starting++;
    settle(place, undefined);
    return true;
  }

  #seat(place: Place<Owner>, now: number): void {
    place.started = now;
    this.#seated.add(place);
    this.#seatsInUse += place.seats;
    if (place.seatedBefore === undefined) this.counts.dispatched++;
    place.queue?.seat(place, now);
    this.#note(now);
  }

  /** Ends the wait of a request that is not seated. Does nothing for others. */
  leave(place: Place<Owner>, reason: 'time-out' | 'cancelled'): void {
    const { queue } = place;
    if (place.isSeated || queue === undefined || !queue.waiting.has(place)) return;
    const now = this.#sync();
    queue.drop(place);
    this.#waiting--;
    this.#seatsWaiting -= place.seats;
    if (!queue.isActive) this.#activeQueues--;
    if (place.seatedBefore === undefined) {
      if (reason === 'time-out') this.counts.timedOut++;
      else this.counts.cancelled++;
    }
    this.#note(now);
    settle(place, reason);
    // others may have waited behind it for its many seats
    this.#dispatchAll();
    this.#dropEmpty();
  }

  /** Notes that a request which has waited and is seated begins, or goes on. */
  started(place: Place<Owner>): void {
    if (!place.isStarting) return;
    place.isStarting = false;
    this.#starting--;
    if (this.#waiting === 0) return;
    this.#sync();
    this.#dispatchAll();
  }

  /** Must be called once when a seated request was answered. @returns milliseconds that it was seated in all */
  end(place: Place<Owner>): number {
    const before = place.seatedBefore ?? 0;
    // a request that rests, or that left its queue before it went on, holds no seats
    if (place.isResting || !place.isSeated) return before;
    const now = this.#sync();
    const lasted = this.#stand(place, now);
    if (place.additionalLatency > 0) this.#clock.after(place.additionalLatency, () => this.#release(place, this.#sync()));
    else this.#release(place, now);
    return before + lasted;
  }

  /** Lends the seats of a request that only waits for somebody else, until `resume`. */
  rest(place: Place<Owner>): void {
    if (place.isResting) return;
    const now = this.#sync();
    place.seatedBefore = (place.seatedBefore ?? 0) + this.#stand(place, now);
    place.isResting = true;
    this.#release(place, now);
  }

  /**
   * Takes seats again for a request that rests. Without free seats it waits in its queue, before all requests that arrived later.
   * @returns whether it is seated; if not, `settled` must be set before the next turn of the event loop
   */
  resume(place: Place<Owner>): boolean {
    if (!place.isResting) return place.isSeated;
    const now = this.#sync();
    const { queue } = place;
    place.isResting = false;
    const queues = this.#form.kind === 'queue' && queue !== undefined && this.#queues.includes(queue);
    if (queue !== undefined) this.#activate(queue);
    if (!queues || (this.#waiting === 0 && this.#hasRoom(place.seats))) {
      this.#seat(place, now);
      return true;
    }
    place.started = undefined;
    place.arrivalWork = this.#virtualTime;
    this.#enqueue(place, queue);
    queue.sort();
    this.#note(now);
    this.#dispatchAll();
    return place.isSeated;
  }

  /** Ends or interrupts its execution; its seats stay taken until `#release`. @returns milliseconds since it was last seated */
  #stand(place: Place<Owner>, now: number): number {
    const lasted = now - (place.started as number);
    if (place.isStarting) {
      place.isStarting = false;
      this.#starting--;
    }
    this.#seated.remove(place);
    const { queue } = place;
    if (queue !== undefined) {
      queue.stand(place, lasted);
      if (!queue.isActive) this.#activeQueues--;
    }
    return lasted;
  }

  /** Must be called before a request joins the queue. */
  #activate(queue: Queue): void {
    if (queue.isActive) return;
    queue.nextDispatch = this.#virtualTime;
    this.#activeQueues++;
  }

  #release(place: Place<Owner>, now: number): void {
    this.#seatsInUse -= place.seats;
    if (place.queue !== undefined) place.queue.seatsInUse -= place.seats;
    this.#note(now);
    this.#dispatchAll();
    this.#dropEmpty();
  }

  #note(now: number): void {
    const demand = this.#seatsInUse + this.#seatsWaiting;
    this.demand.set(demand, now);
    const { lasting } = this;
    lasting.seats.set(this.#seatsInUse, now);
    lasting.executing.set(this.#seated.size, now);
    lasting.waiting.set(this.#waiting, now);
    lasting.demand.set(demand, now);
  }

  /** Advances the virtual time: by the seats in use times the time passed, divided by the number of active queues. @returns the clock's time */
  #sync(): number {
    const now = this.#clock.now();
    if (this.#activeQueues > 0) {
      // while waiting requests may not start, their seats count as unused; if R advanced for them, a new flow would wait until others had caught up
      const wanted = this.#seatsInUse + (this.#starting < this.#mostStarting ? this.#seatsWaiting : 0);
      const seats = Math.min(wanted, this.#limit);
      this.#virtualTime += ((now - this.#lastTime) * seats) / this.#activeQueues;
    }
    this.#lastTime = now;
    return now;
  }
}
