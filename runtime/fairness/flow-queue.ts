/** A queue of a priority level, and what those of its requests that are seated have had. */

/** Milliseconds that a request is taken to last before that is known. */
export const SERVICE = 3;

/** What a queue knows of a request. */
export interface QueuedRequest {
  /** of the clock */
  readonly arrived: number;
  /** R when it arrived */
  readonly arrivalWork: number;
  /** of the clock, when it was seated the last time; undefined while it waits */
  readonly started: number | undefined;
  readonly initialSeats: number;
  /** the most that it takes at once */
  readonly seats: number;
  /** seats times milliseconds, as far as it is known beforehand */
  readonly work: number;
}

export class FlowQueue<Request extends QueuedRequest> {
  /** those that have arrived first come first */
  readonly waiting = new Set<Request>();
  executing = 0;
  seatsInUse = 0;
  /** R at which the next request is dispatched, in the world in which all queues are served bit by bit */
  nextDispatch = 0;
  initialSeats = 0;
  maxSeats = 0;
  work = 0;
  /** of those that are seated: seats, and seats times when they were */
  #seated = 0;
  #seatedSince = 0;

  get isActive(): boolean {
    return this.waiting.size > 0 || this.executing > 0;
  }

  get oldest(): Request | undefined {
    if (this.waiting.size === 0) return undefined;
    return this.waiting.values().next().value;
  }

  /** seats times milliseconds that those which are seated have had, and that `nextDispatch` does not know of before they end */
  overdue(now: number): number {
    const overdue = this.#seated * (now - SERVICE) - this.#seatedSince;
    return overdue > 0 ? overdue : 0;
  }

  add(request: Request): void {
    this.waiting.add(request);
    this.initialSeats += request.initialSeats;
    this.maxSeats += request.seats;
    this.work += request.work;
    this.#bindToArrival();
  }

  /** Of one that waits, and is to be seated next. */
  take(request: Request): void {
    this.waiting.delete(request);
    this.initialSeats -= request.initialSeats;
    this.maxSeats -= request.seats;
    this.work = this.waiting.size === 0 ? 0 : this.work - request.work;
  }

  /** Of one that waits, and will not be seated. */
  drop(request: Request): void {
    this.take(request);
    this.#bindToArrival();
  }

  /** By the times of arrival. */
  sort(): void {
    const sorted = [...this.waiting].sort((a, b) => a.arrived - b.arrived);
    this.waiting.clear();
    for (const request of sorted) this.waiting.add(request);
  }

  seat(request: Request, now: number): void {
    this.executing++;
    this.#seated += request.initialSeats;
    this.#seatedSince += request.initialSeats * now;
    this.seatsInUse += request.seats;
    this.nextDispatch += request.work;
    this.#bindToArrival();
  }

  /** Of one that is seated, whose seats stay taken. @param lasted milliseconds since it was seated */
  stand(request: Request, lasted: number): void {
    this.executing--;
    this.#seated -= request.initialSeats;
    this.#seatedSince = this.executing === 0 ? 0 : this.#seatedSince - request.initialSeats * (request.started as number);
    this.nextDispatch -= request.initialSeats * (SERVICE - lasted);
    this.#bindToArrival();
  }

  /** A queue that does not use its part does not save it up: nothing is dispatched before it arrived. */
  #bindToArrival(): void {
    const { oldest } = this;
    if (oldest !== undefined && this.nextDispatch < oldest.arrivalWork) this.nextDispatch = oldest.arrivalWork;
  }
}
