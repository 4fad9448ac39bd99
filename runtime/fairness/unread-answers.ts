/**
 * Answers that are made and wait for their clients alone: they have given their seats back, and hold memory. How much of it is bounded, for each user and
 * for the process, and so is the time for which they may.
 */
import type { FlowClock } from './flow-clock.ts';

/** Bytes that all may hold together. */
const MOST = 64 * 1024 * 1024;
/** A user may ask for more while they hold no more than so many times what nobody holds. */
const SHARE = 3;
/** Milliseconds between two looks at who is late. */
const INTERVAL = 1_000;

/** Of one that waits. */
interface Unread {
  readonly holder: Holder;
  readonly bytes: number;
  /** of the clock */
  readonly until: number;
  cut(): void;
}

interface Holder {
  readonly user: string;
  bytes: number;
  /** the oldest first */
  readonly answers: Set<Unread>;
}

export interface UnreadAnswer {
  /** whose it is */
  readonly user: string;
  readonly bytes: number;
  /** of the clock: how long the client may take */
  readonly until: number;
  /** Breaks it off. `gone` is called then as well. */
  cut(): void;
}

export class UnreadAnswers {
  readonly #clock: FlowClock;
  readonly #most: number;
  readonly #holders = new Map<string, Holder>();
  #bytes = 0;
  #callOff: (() => void) | undefined;

  /** @param most bytes that all hold together; one that is larger is held alone */
  constructor(clock: FlowClock, most = MOST) {
    this.#clock = clock;
    this.#most = most;
  }

  /** that wait, all together */
  get bytes(): number {
    return this.#bytes;
  }

  /** Whether a user holds more than their part: they are to take what is there before they ask for more. */
  isHeldBy(user: string): boolean {
    if (this.#bytes === 0) return false;
    const held = this.#holders.get(user)?.bytes ?? 0;
    return held > SHARE * (this.#most - this.#bytes);
  }

  /** Makes room where there is none: the oldest answer of whoever holds the most is broken off. @returns to be called when the client has all of it, or is gone */
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
