/**
 * Bounds what lists under way hold, in memory or in files, and what bodies hold that are being received (here called lists as well), by bytes: many small ones run at once, a few large ones after each other. A list takes bytes as
 * it grows; where there are none it waits for others to end. The oldest one never waits, so that those that hold some always come to an end. Whoever
 * lets lists lie about leaves some to others: a user who has some gets more only while a quarter is left of what all others do not hold.
 */
import type { ServerResponse } from 'node:http';
import { whenClientGone } from '../connections/client-gone.ts';
import { newTooManyRequests, type StatusError } from '../status/status.ts';

export interface ListBudgetOptions {
  /** bytes that all lists may hold; the oldest one may go beyond */
  readonly bytes: number;
  /** lists that may wait for their first bytes, half of them of one user; others are refused */
  readonly waiting: number;
  /** milliseconds that one may wait for its first bytes */
  readonly patience: number;
  /** what one is told that may not wait any longer; absent: that there are too many lists */
  readonly refusal?: string;
}

/** 64 streams at a time, or one large answer that is put together as a whole; 1.32 lets a request wait for a quarter of its time as well. */
export const LIST_BUDGET: ListBudgetOptions = { bytes: 64 * 1024 * 1024, waiting: 1_000, patience: 15_000 };
/** Of lists that go through a file. */
export const SPOOL_BUDGET: ListBudgetOptions = { ...LIST_BUDGET, bytes: 4 * 1024 ** 3 };

/** Bytes that a list holds while it is streamed: a slice, and what compression and the connection keep of it. */
export const SLICE_LEASE = 1024 * 1024;
/** Milliseconds that a client may take for a list that is held as a whole. */
const SEND_LIMIT = 60_000;

const TOO_MANY_LISTS = 'too many large lists are under way, please try again later';
/** Seconds after which a client may try again. */
const RETRY_AFTER = 1;

/** For each byte that is left free a user may hold so many. */
const SHARE = 3;

/** Whose lists some are. */
interface Holder {
  readonly user: string;
  /** bytes that their lists hold */
  used: number;
  waiting: number;
  /** lists that are not closed yet */
  lists: number;
}

interface Waiting {
  readonly lease: ListLease;
  readonly holder: Holder;
  readonly bytes: number;
  /** holds nothing yet: these are served in the order in which they came */
  readonly newcomer: boolean;
  grant(): void;
}

/** What one list holds. */
export interface ListLease {
  /** Waits until the list may hold that many bytes more. */
  take(bytes: number): Promise<void>;
  /** The same at once. @returns whether it may; false as well where its user would hold too much */
  tryTake(bytes: number): boolean;
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
  readonly #holders = new Map<string, Holder>();
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
  tryOpen(bytes: number, user: string): ListLease | undefined {
    const holder = this.#holder(user);
    if (!this.#fits(bytes) || !this.#leavesEnough(holder, bytes) || this.#queue.size > 0) return undefined;
    const lease = this.#newLease(holder);
    this.#grant(lease, holder, bytes);
    return lease;
  }

  /**
   * @param bytes that the list begins with. @param user whose list it is
   * @throws StatusError TooManyRequests when too many wait, or this one waited too long
   */
  async open(bytes: number, user: string): Promise<ListLease> {
    const free = this.tryOpen(bytes, user);
    if (free !== undefined) return free;
    const { waiting } = this.#options;
    const holder = this.#holder(user);
    if (this.#queue.size >= waiting || holder.waiting >= waiting / 2) throw this.#refusal();
    return this.#patiently(this.#newLease(holder), holder, bytes);
  }

  #holder(user: string): Holder {
    return this.#holders.get(user) ?? { user, used: 0, waiting: 0, lists: 0 };
  }

  #newLease(holder: Holder): ListLease {
    const lease: ListLease = {
      take: (bytes) => this.#wait(lease, holder, bytes, false),
      tryTake: (bytes) => this.#tryTake(lease, holder, bytes),
      keep: (bytes) => this.#keep(lease, holder, bytes),
      close: () => this.#close(lease, holder),
    };
    this.#open.add(lease);
    holder.lists++;
    this.#holders.set(holder.user, holder);
    return lease;
  }

  #refusal(): StatusError {
    return newTooManyRequests(this.#options.refusal ?? TOO_MANY_LISTS, RETRY_AFTER);
  }

  async #patiently(lease: ListLease, holder: Holder, bytes: number): Promise<ListLease> {
    const { promise: late, reject } = Promise.withResolvers<never>();
    const timer = setTimeout(() => reject(this.#refusal()), this.#options.patience);
    holder.waiting++;
    try {
      await Promise.race([this.#wait(lease, holder, bytes, true), late]);
      return lease;
    } catch (error) {
      this.#close(lease, holder);
      throw error;
    } finally {
      holder.waiting--;
      clearTimeout(timer);
    }
  }

  #wait(lease: ListLease, holder: Holder, bytes: number, newcomer: boolean): Promise<void> {
    return new Promise((resolve) => {
      this.#queue.add({ lease, holder, bytes, newcomer, grant: resolve });
      this.#wake();
    });
  }

  #tryTake(lease: ListLease, holder: Holder, bytes: number): boolean {
    const may = this.#fits(bytes) && this.#leavesEnough(holder, bytes);
    if (may) this.#grant(lease, holder, bytes);
    return may;
  }

  #fits(bytes: number): boolean {
    return this.#used + bytes <= this.#options.bytes;
  }

  /** Who holds nothing yet never takes too much. */
  #leavesEnough({ used }: Holder, bytes: number): boolean {
    return used === 0 || used + bytes <= SHARE * (this.#options.bytes - this.#used - bytes);
  }

  /** Where nobody holds anything, whoever comes first is. */
  #isOldest(lease: ListLease): boolean {
    const { value, done } = this.#held.keys().next();
    return done === true || value === lease;
  }

  #grant(lease: ListLease, holder: Holder, bytes: number): void {
    this.#held.set(lease, (this.#held.get(lease) ?? 0) + bytes);
    this.#used += bytes;
    holder.used += bytes;
  }

  #keep(lease: ListLease, holder: Holder, bytes: number): void {
    const held = this.#held.get(lease) ?? 0;
    if (held <= bytes) return;
    this.#held.set(lease, bytes);
    this.#giveBack(holder, held - bytes);
  }

  #close(lease: ListLease, holder: Holder): void {
    if (!this.#open.delete(lease)) return;
    const held = this.#held.get(lease) ?? 0;
    this.#held.delete(lease);
    holder.lists--;
    if (holder.lists === 0) this.#holders.delete(holder.user);
    this.#giveBack(holder, held);
  }

  #giveBack(holder: Holder, bytes: number): void {
    this.#used -= bytes;
    holder.used -= bytes;
    this.#wake();
  }

  #wake(): void {
    // newcomers do not pass one that waits for room, only those that wait for lists of their own user
    let behind = false;
    for (const waiting of this.#queue) {
      const { lease, holder, bytes, newcomer, grant } = waiting;
      if (this.#open.has(lease)) {
        const hasRoom = this.#fits(bytes) || this.#isOldest(lease);
        if (!hasRoom || (newcomer && (behind || !this.#leavesEnough(holder, bytes)))) {
          behind ||= newcomer && !hasRoom;
          continue;
        }
        this.#grant(lease, holder, bytes);
      }
      this.#queue.delete(waiting);
      grant();
    }
  }
}

/** Keeps what an answer holds until the client has it, or has taken too long. */
export function closeWhenSent(response: ServerResponse, lease: ListLease): void {
  const late = setTimeout(() => response.destroy(), SEND_LIMIT);
  whenClientGone(response, () => {
    clearTimeout(late);
    lease.close();
  });
}
