/**
 * Bounds what lists under way hold, in memory or in files, by bytes: many small ones run at once, a few large ones after each other. A list takes bytes as
 * it grows; where there are none it waits for others to end. The oldest one never waits, so that those that hold some always come to an end.
 */
import type { ServerResponse } from 'node:http';
import { newTooManyRequests, type StatusError } from '../../status/status.ts';
import { whenClientGone } from '../client-gone.ts';

export interface ListBudgetOptions {
  /** bytes that all lists may hold; the oldest one may go beyond */
  readonly bytes: number;
  /** lists that may wait for their first bytes; others are refused */
  readonly waiting: number;
  /** milliseconds that one may wait for its first bytes */
  readonly patience: number;
}

/** Bytes that a list holds while it is streamed: a slice, and what compression and the connection keep of it. */
export const SLICE_LEASE = 1024 * 1024;
/** Milliseconds that a client may take for a list that is held as a whole. */
const SEND_LIMIT = 60_000;

interface Waiting {
  readonly lease: ListLease;
  readonly bytes: number;
  /** holds nothing yet: these are served in the order in which they came */
  readonly newcomer: boolean;
  grant(): void;
}

/** What one list holds. */
export interface ListLease {
  /** Waits until the list may hold that many bytes more. */
  take(bytes: number): Promise<void>;
  /** Gives back what it holds beyond `bytes`. */
  keep(bytes: number): void;
  /** Gives everything back; may be called again. */
  close(): void;
}

export class ListBudget {
  readonly #options: ListBudgetOptions;
  readonly #open = new Set<ListLease>();
  /** of those that hold something, the one that has for the longest time first */
  readonly #held = new Map<ListLease, number>();
  readonly #queue = new Set<Waiting>();
  #used = 0;

  constructor(options: ListBudgetOptions) {
    this.#options = options;
  }

  /** bytes that lists hold */
  get used(): number {
    return this.#used;
  }

  /** lists that hold some */
  get lists(): number {
    return this.#held.size;
  }

  /** The same at once, or undefined where the list would have to wait. */
  tryOpen(bytes: number): ListLease | undefined {
    if (!this.#fits(bytes) || this.#queue.size > 0) return undefined;
    const lease = this.#newLease();
    this.#grant(lease, bytes);
    return lease;
  }

  /** @param bytes that the list begins with. @throws StatusError TooManyRequests when too many wait, or this one waited too long */
  async open(bytes: number): Promise<ListLease> {
    const free = this.tryOpen(bytes);
    if (free !== undefined) return free;
    const lease = this.#newLease();
    if (this.#queue.size >= this.#options.waiting) {
      this.#close(lease);
      throw refusal();
    }
    return this.#patiently(lease, bytes);
  }

  #newLease(): ListLease {
    const lease: ListLease = {
      take: (bytes) => this.#wait(lease, bytes, false),
      keep: (bytes) => this.#keep(lease, bytes),
      close: () => this.#close(lease),
    };
    this.#open.add(lease);
    return lease;
  }

  async #patiently(lease: ListLease, bytes: number): Promise<ListLease> {
    const { promise: late, reject } = Promise.withResolvers<never>();
    const timer = setTimeout(() => reject(refusal()), this.#options.patience);
    try {
      await Promise.race([this.#wait(lease, bytes, true), late]);
      return lease;
    } catch (error) {
      this.#close(lease);
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }

  #wait(lease: ListLease, bytes: number, newcomer: boolean): Promise<void> {
    return new Promise((resolve) => {
      this.#queue.add({ lease, bytes, newcomer, grant: resolve });
      this.#wake();
    });
  }

  #fits(bytes: number): boolean {
    return this.#used + bytes <= this.#options.bytes;
  }

  /** Where nobody holds anything, whoever comes first is. */
  #isOldest(lease: ListLease): boolean {
    const { value, done } = this.#held.keys().next();
    return done === true || value === lease;
  }

  #grant(lease: ListLease, bytes: number): void {
    this.#held.set(lease, (this.#held.get(lease) ?? 0) + bytes);
    this.#used += bytes;
  }

  #keep(lease: ListLease, bytes: number): void {
    const held = this.#held.get(lease) ?? 0;
    if (held <= bytes) return;
    this.#held.set(lease, bytes);
    this.#used -= held - bytes;
    this.#wake();
  }

  #close(lease: ListLease): void {
    if (!this.#open.delete(lease)) return;
    this.#used -= this.#held.get(lease) ?? 0;
    this.#held.delete(lease);
    this.#wake();
  }

  #wake(): void {
    let held = false;
    for (const waiting of this.#queue) {
      const { lease, bytes, newcomer, grant } = waiting;
      const gone = !this.#open.has(lease);
      if (!gone && ((newcomer && held) || (!this.#fits(bytes) && !this.#isOldest(lease)))) {
        held ||= newcomer;
        continue;
      }
      this.#queue.delete(waiting);
      if (!gone) this.#grant(lease, bytes);
      grant();
    }
  }
}

/** Seconds after which a client may try again. */
const RETRY_AFTER = 1;

function refusal(): StatusError {
  return newTooManyRequests('too many large lists are under way, please try again later', RETRY_AFTER);
}

/** Keeps what an answer holds until the client has it, or has taken too long. */
export function closeWhenSent(response: ServerResponse, lease: ListLease): void {
  const late = setTimeout(() => response.destroy(), SEND_LIMIT);
  whenClientGone(response, () => {
    clearTimeout(late);
    lease.close();
  });
}
