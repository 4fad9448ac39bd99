/** Ways to deliver events to a backend: at once, or in batches for which no request waits. */
import { setTimeout as sleep } from 'node:timers/promises';
import { TokenBucket } from '../admission/plugins/token-bucket.ts';
import type { AuditEvent } from './audit-event.ts';
import type { AuditSink } from './audit-sink.ts';

/** The last receiver of events: a log or a service. */
export interface AuditBackend {
  /** its name in metrics */
  readonly name: string;
  /**
   * Delivers events. Events that are written together may share a promise.
   * @param isAwaited whether a request waits for them; default true
   * @throws Error if the events are lost; a promise rejects with it
   */
  deliver(events: readonly AuditEvent[], isAwaited?: boolean): Promise<void>;
  /** Tells the backend not to repeat failed attempts any more, because the server is ending. */
  hurry?(): void;
  /** Closes the backend. `deliver` must not be called any more. */
  close(): Promise<void>;
}

/** Is called with the number of lost events and the reason. */
export type Lost = (events: number, why: unknown) => void;

/** Why an event is lost for which there was no place. */
export class BufferFull extends Error {
  constructor() {
    super('audit buffer queue blocked');
  }
}

/** The outcome of events that are delivered together. */
interface Outcome {
  readonly delivered: Promise<void>;
  /** whether the requests may go on */
  readonly taken: Promise<boolean>;
  events: number;
}

/** Requests wait for the delivery of their first events, but not for later ones. */
export class BlockingDelivery implements AuditSink {
  readonly #backend: AuditBackend;
  readonly #isStrict: boolean;
  readonly #lost: Lost;
  #last: Outcome | undefined;

  /** @param isStrict whether a request must not go on if its first event is lost */
  constructor(backend: AuditBackend, isStrict: boolean, lost: Lost) {
    this.#backend = backend;
    this.#isStrict = isStrict;
    this.#lost = lost;
  }

  take(event: AuditEvent): Promise<boolean> {
    let delivered: Promise<void>;
    try {
      delivered = this.#backend.deliver([event], event.stage === 'RequestReceived');
    } catch (error) {
      delivered = Promise.reject(error);
    }
    if (this.#last?.delivered !== delivered) this.#last = this.#outcomeOf(delivered);
    this.#last.events++;
    return this.#last.taken;
  }

  #outcomeOf(delivered: Promise<void>): Outcome {
    const taken = delivered.then(
      () => true,
      (error: unknown) => {
        this.#lost(outcome.events, error);
        return !this.#isStrict;
      },
    );
    const outcome: Outcome = { delivered, taken, events: 0 };
    return outcome;
  }

  close(): Promise<void> {
    return this.#backend.close();
  }
}

export interface BatchOptions {
  /** the most events that wait */
  readonly bufferSize: number;
  readonly maxBatchSize: number;
  /** milliseconds until an incomplete batch is delivered */
  readonly maxBatchWait: number;
  /** the rate of batches; absent: no limit */
  readonly throttle?: { readonly perSecond: number; readonly burst: number };
  /** the most batches that are delivered at a time */
  readonly atOnce: number;
}

/** Milliseconds for the delivery of the last events when the server ends. */
const GRACE = 10_000;

/** Delivers events in batches. Events are lost if the buffer is full. */
export class BatchedDelivery implements AuditSink {
  readonly #backend: AuditBackend;
  readonly #options: BatchOptions;
  readonly #lost: Lost;
  readonly #bucket: TokenBucket | undefined;
  readonly #underWay = new Set<Promise<void>>();
  #buffer: AuditEvent[] = [];
  #timer: NodeJS.Timeout | undefined;
  #delivering: Promise<void> | undefined;

  constructor(backend: AuditBackend, options: BatchOptions, lost: Lost) {
    this.#backend = backend;
    this.#options = options;
    this.#lost = lost;
    const { throttle } = options;
    if (throttle !== undefined) this.#bucket = new TokenBucket(throttle.perSecond, throttle.burst, performance.now());
  }

  take(event: AuditEvent): true {
    const { bufferSize, maxBatchSize, maxBatchWait } = this.#options;
    if (this.#buffer.length >= bufferSize) {
      this.#lost(1, new BufferFull());
      return true;
    }
    this.#buffer.push(event);
    if (this.#buffer.length >= maxBatchSize) this.#begin();
    else this.#timer ??= setTimeout(() => this.#begin(), maxBatchWait).unref();
    return true;
  }

  #begin(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#delivering ??= this.#deliverAll().finally(() => {
      this.#delivering = undefined;
    });
  }

  /** Delivers full batches. The rest waits for more events. */
  async #deliverAll(toTheLast = false): Promise<void> {
    const { maxBatchSize, atOnce } = this.#options;
    // events that arrive in the same turn join the batch
    await undefined;
    do {
      await this.#turn();
      while (this.#underWay.size >= atOnce) await Promise.race(this.#underWay);
      const events = this.#buffer.splice(0, maxBatchSize);
      if (events.length === 0) return;
      const sending: Promise<void> = this.#backend
        .deliver(events)
        .catch((error: unknown) => this.#lost(events.length, error))
        .finally(() => this.#underWay.delete(sending));
      this.#underWay.add(sending);
    } while (this.#buffer.length >= maxBatchSize || (toTheLast && this.#buffer.length > 0));
    if (this.#buffer.length > 0) this.#timer ??= setTimeout(() => this.#begin(), this.#options.maxBatchWait).unref();
  }

  async #turn(): Promise<void> {
    const { throttle } = this.#options;
    while (this.#bucket?.take(performance.now()) === false) await sleep(1_000 / Math.max(throttle?.perSecond ?? 1, 0.001));
  }

  async close(): Promise<void> {
    clearTimeout(this.#timer);
    const hurry = setTimeout(() => this.#backend.hurry?.(), GRACE);
    await this.#delivering;
    await this.#deliverAll(true);
    await Promise.all(this.#underWay);
    clearTimeout(hurry);
    await this.#backend.close();
  }
}

export interface FlowOptions {
  /** the most events that wait */
  readonly bufferSize: number;
  /** the number of waiting events at which they are delivered soon */
  readonly enough: number;
  /** milliseconds until fewer events are delivered */
  readonly maxWait: number;
}

/** Milliseconds between two deliveries. Each has a fixed cost, so events are collected meanwhile. */
const PACE = 10;

/**
 * Delivers events to a backend to which batches do not matter: each delivery has all waiting events, and only one is under way at a time. Events are lost if
 * the buffer is full.
 */
export class FlowingDelivery implements AuditSink {
  readonly #backend: AuditBackend;
  readonly #options: FlowOptions;
  readonly #lost: Lost;
  #buffer: AuditEvent[] = [];
  #timer: NodeJS.Timeout | undefined;
  #underWay: Promise<void> | undefined;
  /** the time at which the last delivery began, by `performance.now()` */
  #begun = Number.NEGATIVE_INFINITY;

  constructor(backend: AuditBackend, options: FlowOptions, lost: Lost) {
    this.#backend = backend;
    this.#options = options;
    this.#lost = lost;
  }

  take(event: AuditEvent): true {
    const { bufferSize } = this.#options;
    if (this.#buffer.length >= bufferSize) {
      this.#lost(1, new BufferFull());
      return true;
    }
    this.#buffer.push(event);
    if (this.#underWay === undefined) this.#schedule();
    return true;
  }

  #schedule(): void {
    const { bufferSize, enough, maxWait } = this.#options;
    const waiting = this.#buffer.length;
    // the pace must not make the buffer overflow
    if (waiting * 2 >= bufferSize) return this.#deliver();
    if (waiting === enough) this.#deliverIn(PACE - (performance.now() - this.#begun));
    else if (waiting < enough && this.#timer === undefined) this.#deliverIn(maxWait);
  }

  #deliverIn(milliseconds: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#deliver(), Math.max(milliseconds, 0)).unref();
  }

  #deliver(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const events = this.#buffer;
    this.#buffer = [];
    this.#begun = performance.now();
    const lost = (error: unknown): void => this.#lost(events.length, error);
    try {
      this.#underWay = this.#backend
        .deliver(events)
        .catch(lost)
        .then(() => this.#delivered());
    } catch (error) {
      lost(error);
    }
  }

  #delivered(): void {
    this.#underWay = undefined;
    const waiting = this.#buffer.length;
    if (waiting >= this.#options.enough) this.#deliverIn(PACE - (performance.now() - this.#begun));
    else if (waiting > 0) this.#deliverIn(this.#options.maxWait);
  }

  async close(): Promise<void> {
    while (this.#buffer.length > 0 || this.#underWay !== undefined) {
      if (this.#underWay === undefined) this.#deliver();
      await this.#underWay;
    }
    clearTimeout(this.#timer);
    await this.#backend.close();
  }
}
