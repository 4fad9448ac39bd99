/**
 * Bounds what requests under way hold, in memory or in files, by bytes: many small ones run at once, a few large ones after each other. Each has a lease
 * and takes bytes as it grows; where there are none it waits for others to end. The oldest one never waits, so that those that hold some always come to an
 * end. Whoever lets leases lie about leaves some to others: a user who has some gets more only while a quarter is left of what all others do not hold.
 */
import { newTooManyRequests, type StatusError } from '../../status/status.ts';

export interface ByteBudgetOptions {
  /** bytes that all leases may hold; the oldest one may go beyond */
  readonly bytes: number;
  /** leases that may wait for their first bytes, half of them of one user; others are refused */
  readonly waiting: number;
  /** the most milliseconds for which a request may wait for its first bytes */
  readonly patience: number;
  /** the message for a client whose request may not wait, or no longer */
  readonly refusal: string;
}

/** The seconds after which a client may try again. */
const RETRY_AFTER = 1;

/** The number of bytes that one user may hold for each byte that is free. */
const SHARE = 3;

/** A user with leases. */
interface Holder {
  readonly user: string;
  /** bytes that their leases hold */
  used: number;
  waiting: number;
  /** the number of leases that are not closed yet */
  leases: number;
}

interface Waiting {
  readonly lease: ByteLease;
  readonly holder: Holder;
  readonly bytes: number;
  /** holds nothing yet: these are served in the order in which they came */
  readonly newcomer: boolean;
  grant(): void;
}

/** What one request holds. */
export interface ByteLease {
  /** Waits until the lease may hold a number of bytes more. */
  take(bytes: number): Promise<void>;
  /** Takes bytes without waiting. @returns whether the lease may hold them; false also if its user would hold too much */
  tryTake(bytes: number): boolean;
  /** Gives back the bytes that the lease holds beyond a number. */
  keep(bytes: number): void;
  /** Gives everything back. It may be called several times. */
  close(): void;
}

export class ByteBudget {
  readonly #options: ByteBudgetOptions;
  readonly #open = new Set<ByteLease>();
  /** the bytes of the leases that hold some, in the order in which they began to */
  readonly #held = new Map<ByteLease, number>();
  readonly #queue = new Set<Waiting>();
  readonly #holders = new Map<string, Holder>();
  #used = 0;

  constructor(options: ByteBudgetOptions) {
    this.#options = options;
  }

  /** bytes that leases hold */
  get used(): number {
    return this.#used;
  }

  /** leases that hold some */
  get leases(): number {
    return this.#held.size;
  }

  /** The same at once, or undefined where the lease would have to wait. */
  tryOpen(bytes: number, user: string): ByteLease | undefined {
    const holder = this.#holder(user);
    if (!this.#fits(bytes) || !this.#leavesEnough(holder, bytes) || this.#queue.size > 0) return undefined;
    const lease = this.#newLease(holder);
    this.#grant(lease, holder, bytes);
    return lease;
  }

  /**
   * @param bytes that the lease begins with. @param user whose it is
   * @throws StatusError TooManyRequests when too many wait, or this one waited too long
   */
  async open(bytes: number, user: string): Promise<ByteLease> {
    const free = this.tryOpen(bytes, user);
    if (free !== undefined) return free;
    const { waiting } = this.#options;
    const holder = this.#holder(user);
    if (this.#queue.size >= waiting || holder.waiting >= waiting / 2) throw this.#refusal();
    return this.#patiently(this.#newLease(holder), holder, bytes);
  }

  #holder(user: string): Holder {
    return this.#holders.get(user) ?? { user, used: 0, waiting: 0, leases: 0 };
  }

  #newLease(holder: Holder): ByteLease {
    const lease: ByteLease = {
      take: (bytes) => this.#wait(lease, holder, bytes, false),
      tryTake: (bytes) => this.#tryTake(lease, holder, bytes),
      keep: (bytes) => this.#keep(lease, holder, bytes),
      close: () => this.#close(lease, holder),
    };
    this.#open.add(lease);
    holder.leases++;
    this.#holders.set(holder.user, holder);
    return lease;
  }

  #refusal(): StatusError {
    return newTooManyRequests(this.#options.refusal, RETRY_AFTER);
  }

  async #patiently(lease: ByteLease, holder: Holder, bytes: number): Promise<ByteLease> {
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

  #wait(lease: ByteLease, holder: Holder, bytes: number, newcomer: boolean): Promise<void> {
    return new Promise((resolve) => {
      this.#queue.add({ lease, holder, bytes, newcomer, grant: resolve });
      this.#wake();
    });
  }

  #tryTake(lease: ByteLease, holder: Holder, bytes: number): boolean {
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

  /** Tells whether a lease has held bytes for the longest time. If none holds any, each one counts as the oldest. */
  #isOldest(lease: ByteLease): boolean {
    const { value, done } = this.#held.keys().next();
    return done === true || value === lease;
  }

  #grant(lease: ByteLease, holder: Holder, bytes: number): void {
    this.#held.set(lease, (this.#held.get(lease) ?? 0) + bytes);
    this.#used += bytes;
    holder.used += bytes;
  }

  #keep(lease: ByteLease, holder: Holder, bytes: number): void {
    const held = this.#held.get(lease) ?? 0;
    if (held <= bytes) return;
    this.#held.set(lease, bytes);
    this.#giveBack(holder, held - bytes);
  }

  #close(lease: ByteLease, holder: Holder): void {
    if (!this.#open.delete(lease)) return;
    const held = this.#held.get(lease) ?? 0;
    this.#held.delete(lease);
    holder.leases--;
    if (holder.leases === 0) this.#holders.delete(holder.user);
    this.#giveBack(holder, held);
  }

  #giveBack(holder: Holder, bytes: number): void {
    this.#used -= bytes;
    holder.used -= bytes;
    this.#wake();
  }

  #wake(): void {
    // newcomers do not pass one that waits for room, only those that wait for leases of their own user
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
