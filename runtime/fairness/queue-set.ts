/**
 * The queues of one priority level: fair queuing among flows by virtual time (R), measured in seats times milliseconds, as 1.32 has it.
 *
 *   start -> refused
 *         -> seated at once
 *         -> waiting in the shortest queue of its hand -> seated, or gone when its time is over
 *   seated -> answered -> (seats stay taken for what comes of it) -> others are seated
 *   seated -> rests while its client takes what is there -> others are seated -> waits, or is seated again at once
 *
 * Where nobody waits and there are seats, a request costs two readings of the clock and a few additions.
 */
import { MemberList } from '../collections/member-list.ts';
import type { FlowClock } from './flow-clock.ts';
import { FlowQueue } from './flow-queue.ts';
import { Place, type RefusalReason, settle } from './place.ts';
import { SeatDemand } from './seat-demand.ts';
import type { WorkEstimate } from './work-estimate.ts';

/** How a level takes requests: all of them, those that find seats, or in queues. */
export interface QueueSetForm {
  readonly kind: 'exempt' | 'reject' | 'queue';
  /** of `queue`; else 0 */
  readonly queues: number;
  readonly queueLength: number;
}

/** What happened to requests of a level since the start. */
export interface QueueSetCounts {
  dispatched: number;
  rejected: number;
  timedOut: number;
  cancelled: number;
}

/** Of a queue, as dumps tell it. */
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
  readonly counts: QueueSetCounts = { dispatched: 0, rejected: 0, timedOut: 0, cancelled: 0 };
  /** told each time that the next in turn needs more seats than are free */
  noRoomFor?(owner: Owner): void;
  readonly #clock: FlowClock;
  /** those beyond the form's number are there until they are empty */
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
  /** R of now */
  #virtualTime = 0;
  #lastTime: number;
  #robin = 0;
  #enqueued = 0;

  /**
   * @param limit seats
   * @param mostStarting that have waited, are seated, and have not begun: where the server is not quick enough for more, whose turn it is is decided later
   */
  constructor(clock: FlowClock, form: QueueSetForm, limit: number, mostStarting = Number.POSITIVE_INFINITY) {
    this.#clock = clock;
    this.#mostStarting = mostStarting;
    this.#lastTime = clock.now();
    this.demand = new SeatDemand(this.#lastTime);
    this.#form = form;
    this.#limit = limit;
    this.#fitQueues();
  }

  get limit(): number {
    return this.#limit;
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

  /** those that are answered now, in no order */
  get seated(): Iterable<Place<Owner>> {
    return this.#seated;
  }

  /** Requests that wait go on waiting in their queues. */
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
   * @param hand numbers of queues that the request's flow may wait in; of a level without queues it does not matter
   * @returns its place, or why there is none. Whoever waits is told by `settled`, which is to be set before the next turn of the event loop
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
    // those that wait where seats are free wait for more than that, for others to begin or for many seats: a queue is no longer then either
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

  /** The one with the least work in it; among those with the same, others each time. */
  #shortest(hand: readonly number[]): Queue {
    const offset = this.#enqueued++ % hand.length;
    let best: Queue | undefined;
    for (let i = 0; i < hand.length; i++) {
      const queue = this.#queues[hand[(offset + i) % hand.length] as number] as Queue;
      if (best === undefined || queue.work < best.work) best = queue;
    }
    return best as Queue;
  }

  /** A level without seats has none for anybody; one with few takes a request that wants more when it is alone. */
  #hasRoom(seats: number): boolean {
    if (this.#limit === 0) return false;
    if (seats > this.#limit) return this.#seated.size === 0;
    return this.#seatsInUse + seats <= this.#limit;
  }

  /** The same work on fewer seats takes longer. */
  #fitFinalSeats(place: Place<Owner>): void {
    if (place.finalSeats <= this.#limit) return;
    place.additionalLatency = (place.finalSeats * place.additionalLatency) / this.#limit;
    place.finalSeats = this.#limit;
  }

  #dispatchAll(): void {
    while (this.#waiting !== 0 && this.#seatsInUse < this.#limit) if (!this.#dispatch(this.#starting >= this.#mostStarting)) return;
  }

  /**
   * @param quiet of queues alone that have nothing under way: where enough are about to begin, which may be pieces of long work that wait for each other,
   * a flow that asks now and then waits for none of them
   * @returns whether one was seated
   */
  #dispatch(quiet: boolean): boolean {
    let found: Queue | undefined;
    let foundAt = 0;
    let earliest = Number.POSITIVE_INFINITY;
    // 1.32 takes each to last for the same time until it ends: where all last longer, a new flow waits behind what others are not charged for yet
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

  /** Ends the wait of one that is not seated. */
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
    // it may have been a wide one that others waited behind
    this.#dispatchAll();
    this.#dropEmpty();
  }

  /** For one that has waited and is seated: it begins, or goes on. */
  started(place: Place<Owner>): void {
    if (!place.isStarting) return;
    place.isStarting = false;
    this.#starting--;
    if (this.#waiting === 0) return;
    this.#sync();
    this.#dispatchAll();
  }

  /** For one that is seated and is answered, once. @returns milliseconds that it was seated */
  end(place: Place<Owner>): number {
    const before = place.seatedBefore ?? 0;
    // nothing is left of one that rests, or has left its queue when it was to go on
    if (place.isResting || !place.isSeated) return before;
    const now = this.#sync();
    const lasted = this.#stand(place, now);
    if (place.additionalLatency > 0) this.#clock.after(place.additionalLatency, () => this.#release(place, this.#sync()));
    else this.#release(place, now);
    return before + lasted;
  }

  /** For one that is seated and has nothing done for it: others have its seats until it goes on. */
  rest(place: Place<Owner>): void {
    if (place.isResting) return;
    const now = this.#sync();
    place.seatedBefore = (place.seatedBefore ?? 0) + this.#stand(place, now);
    place.isResting = true;
    this.#release(place, now);
  }

  /**
   * For one that rests. Where there are no seats for it, it waits in its queue before all of its flow that have arrived later.
   * @returns whether it is seated; whoever waits is told by `settled`, which is to be set before the next turn of the event loop
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

  /** Nothing is done for it any more, or for now; its seats are taken still. @returns milliseconds that it was seated without rest */
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

  /** To be called before a request joins the queue. */
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
    this.demand.set(this.#seatsInUse + this.#seatsWaiting, now);
  }

  /** Virtual time goes on as quickly as all queues together are served, divided by those that are. @returns the clock's time */
  #sync(): number {
    const now = this.#clock.now();
    if (this.#activeQueues > 0) {
      // where requests wait for more than seats, what they could have had is no service: who comes anew would wait until they had caught up with it
      const wanted = this.#seatsInUse + (this.#starting < this.#mostStarting ? this.#seatsWaiting : 0);
      const seats = Math.min(wanted, this.#limit);
      this.#virtualTime += ((now - this.#lastTime) * seats) / this.#activeQueues;
    }
    this.#lastTime = now;
    return now;
  }
}
