/** A queue of a priority level, which also charges its flows for their requests that run. R is the virtual time of `QueueSet`. */

/** Milliseconds that a request is assumed to last until it has ended, as in 1.32. */
export const SERVICE = 3;

/** The part of a request that a queue needs. A request is seated while it holds seats and runs. */
export interface QueuedRequest {
  /** milliseconds of the clock */
  readonly arrived: number;
  /** R when the request arrived */
  readonly arrivalWork: number;
  /** milliseconds of the clock at which it was last seated; undefined while it waits */
  readonly started: number | undefined;
  readonly initialSeats: number;
  /** the most seats that it holds at any time */
  readonly seats: number;
  /** the estimate of its work in seats times milliseconds */
  readonly work: number;
}

export class FlowQueue<Request extends QueuedRequest> {
  /** in the order of arrival */
  readonly waiting = new Set<Request>();
  executing = 0;
  seatsInUse = 0;
  /** R at which the next request would be dispatched if all queues were served at once, each with an equal share of the seats */
  nextDispatch = 0;
  initialSeats = 0;
  maxSeats = 0;
  work = 0;
  /** sums over the seated requests: of their seats, and of their seats times the moment at which they were seated */
  #seated = 0;
  #seatedSince = 0;

  get isActive(): boolean {
    return this.waiting.size > 0 || this.executing > 0;
  }

  get oldest(): Request | undefined {
    if (this.waiting.size === 0) return undefined;
    return this.waiting.values().next().value;
  }

  /** seats times milliseconds that seated requests have used beyond `SERVICE`. `nextDispatch` is charged for that only when they end. */
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

  /** Removes a waiting request that is seated next. */
  take(request: Request): void {
    this.waiting.delete(request);
    this.initialSeats -= request.initialSeats;
    this.maxSeats -= request.seats;
    this.work = this.waiting.size === 0 ? 0 : this.work - request.work;
  }

  /** Removes a waiting request that gives up. */
  drop(request: Request): void {
    this.take(request);
    this.#bindToArrival();
  }

  /** Sorts the waiting requests by their times of arrival. */
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

  /** Ends or interrupts the execution of a seated request; its seats stay taken until they are released. @param lasted milliseconds since it was seated */
  stand(request: Request, lasted: number): void {
    this.executing--;
    this.#seated -= request.initialSeats;
    this.#seatedSince = this.executing === 0 ? 0 : this.#seatedSince - request.initialSeats * (request.started as number);
    this.nextDispatch -= request.initialSeats * (SERVICE - lasted);
    this.#bindToArrival();
  }

  /** A queue must not save up the share that it did not use: no request counts as dispatched before it arrived. */
  #bindToArrival(): void {
    const { oldest } = this;
    if (oldest !== undefined && this.nextDispatch < oldest.arrivalWork) this.nextDispatch = oldest.arrivalWork;
  }
}
