/**
 * Finished answers that only wait for their clients to read them. They have given their seats back, but hold memory. Their bytes are bounded for each user
 * and for the process, and so is the time that a client may take.
 */
import type { FlowClock } from './flow-clock.ts';

/** The most bytes that all unread answers hold together. */
const MOST = 64 * 1024 * 1024;
/** A user may ask for more while their unread bytes are at most so many times the bytes that are still free. */
const SHARE = 3;
/** Milliseconds between two searches for clients that are too slow. */
const INTERVAL = 1_000;

/** An answer that waits for its client. */
interface Unread {
  readonly holder: Holder;
  readonly bytes: number;
  /** milliseconds of the clock at which it is cut off */
  readonly until: number;
  cut(): void;
}

interface Holder {
  readonly user: string;
  bytes: number;
  /** in the order in which they were added */
  readonly answers: Set<Unread>;
}

export interface UnreadAnswer {
  /** name of the user who has asked for it */
  readonly user: string;
  readonly bytes: number;
  /** milliseconds of the clock until which the client may read */
  readonly until: number;
  /** Breaks the answer off. It was removed already when this is called. */
  cut(): void;
}

export class UnreadAnswers {
  readonly #clock: FlowClock;
  readonly #most: number;
  readonly #holders = new Map<string, Holder>();
  #bytes = 0;
  #callOff: (() => void) | undefined;

  /** @param most bytes that all answers hold together; a larger answer is held alone */
  constructor(clock: FlowClock, most = MOST) {
    this.#clock = clock;
    this.#most = most;
  }

  /** bytes of all unread answers */
  get bytes(): number {
    return this.#bytes;
  }

  /** Whether a user holds more than their part, and so has to read answers before asking for more. */
  isHeldBy(user: string): boolean {
    if (this.#bytes === 0) return false;
    const held = this.#holders.get(user)?.bytes ?? 0;
    return held > SHARE * (this.#most - this.#bytes);
  }

  /** Breaks off the oldest answers of whoever holds most, if there is no room. @returns a function to call when the client has read all or is gone */
  add({ user, bytes, until, cut }: UnreadAnswer): () => void {
    while (this.#bytes > 0 && this.#bytes + bytes > this.#most) this.#cut(this.#oldestOfMost());
    let holder = this.#holders.get(user);
    if (holder === undefined) {
      holder = { user, bytes: 0, answers: new Set() };
      this.#holders.set(user, holder);
    }
    const unread: Unread = { holder, bytes, until, cut };
    holder.answers.add(unread);
    holder.bytes += bytes;
    this.#bytes += bytes;
    this.#callOff ??= this.#clock.after(INTERVAL, () => this.#look());
    return () => this.#remove(unread);
  }

  close(): void {
    this.#callOff?.();
    this.#callOff = undefined;
  }

  #oldestOfMost(): Unread {
    let most: Holder | undefined;
    for (const holder of this.#holders.values()) if (most === undefined || holder.bytes > most.bytes) most = holder;
    return most?.answers.values().next().value as Unread;
  }

  #cut(unread: Unread): void {
    this.#remove(unread);
    unread.cut();
  }

  #remove(unread: Unread): void {
    const { holder, bytes } = unread;
    if (!holder.answers.delete(unread)) return;
    holder.bytes -= bytes;
    this.#bytes -= bytes;
    if (holder.answers.size === 0) this.#holders.delete(holder.user);
  }

  #look(): void {
    this.#callOff = undefined;
    const now = this.#clock.now();
    for (const { answers } of [...this.#holders.values()]) for (const unread of [...answers]) if (unread.until <= now) this.#cut(unread);
    if (this.#holders.size > 0) this.#callOff = this.#clock.after(INTERVAL, () => this.#look());
  }
}
