/**
 * Elects one of several processes by a Lease: who holds it leads, and renews it for as long as it does. Clocks of machines are not compared: a lease is over
 * when it has not changed for its duration, as the process itself has seen it. How the lease is read and written is the caller's.
 * @see https://kubernetes.io/docs/concepts/architecture/leases/
 */

import { pause } from '../timers/long-timer.ts';
import type { DatedClock } from '../work-queue/clock.ts';
import { within } from './limited-work.ts';

export interface LeaseSpec {
  readonly holderIdentity?: string;
  readonly leaseDurationSeconds?: number;
  readonly acquireTime?: string | null;
  readonly renewTime?: string | null;
  readonly leaseTransitions?: number;
}

export interface LeaseRecord {
  readonly spec?: LeaseSpec;
}

/** Reads and writes the one lease. What is thrown has the attempt fail, and another one follow. */
export interface LeaseAccess<L extends LeaseRecord> {
  /** @returns undefined where there is none */
  read(signal: AbortSignal): Promise<L | undefined>;
  /** @returns as it was stored; undefined where there is one already */
  create(spec: LeaseSpec, signal: AbortSignal): Promise<L | undefined>;
  /** @returns as it was stored; undefined where it is no longer the one that was read */
  update(lease: L, spec: LeaseSpec, signal: AbortSignal): Promise<L | undefined>;
}

/** All times in milliseconds. */
export interface LeaseTimes {
  /** for which others leave the lease to its holder; whole seconds */
  readonly leaseDuration: number;
  /** after which a leader that cannot renew its lease leads no longer; less than `leaseDuration` */
  readonly renewDeadline: number;
  /** between two attempts; with the jitter of an attempt to acquire it, less than `renewDeadline` */
  readonly retryPeriod: number;
}

export interface LeaseElectionOptions extends LeaseTimes {
  /** of this process: no other one has it, not even a later one of the same machine */
  readonly identity: string;
  readonly clock: DatedClock;
  /** told who leads, '' for nobody, whenever that is another one */
  readonly onLeader?: (identity: string) => void;
  /** told each time that the leader had to read its lease again to renew it */
  readonly onSlowPath?: () => void;
  /** told why an attempt failed, of those that the election goes on after */
  readonly onError?: (error: unknown) => void;
}

/** A time in which this process leads. */
export interface Term {
  /** aborted when it is over: by LeadershipLost, or by the reason of whoever ended it */
  readonly signal: AbortSignal;
  /** Whether it still leads, by the clock of this moment: a process that stood still learns of it before anybody has told it. */
  holds(): boolean;
}

/** The lease has another holder, or could not be renewed in time. */
export class LeadershipLost extends Error {
  override readonly name = 'LeadershipLost';
}

/** Defaults of client-go, in milliseconds. */
export const LEASE_TIMES: LeaseTimes = { leaseDuration: 15_000, renewDeadline: 10_000, retryPeriod: 2_000 };
const SECOND = 1_000;
/** Attempts of several processes to acquire the lease do not come together: up to this part of the period is added to it, as in client-go. */
export const JITTER = 1.2;

/** What is wrong with times, in the words of client-go. @returns undefined: nothing is */
export function problemOfTimes({ leaseDuration, renewDeadline, retryPeriod }: LeaseTimes): string | undefined {
  for (const [name, value] of Object.entries({ leaseDuration, renewDeadline, retryPeriod }))
    if (!(value > 0)) return `${name} must be greater than zero`;
  if (leaseDuration <= renewDeadline) return 'leaseDuration must be greater than renewDeadline';
  if (renewDeadline <= JITTER * retryPeriod)
    return `renewDeadline must be greater than retryPeriod*JitterFactor, which is retryPeriod*${JITTER}`;
  return leaseDuration % SECOND === 0 ? undefined : 'leaseDuration must be whole seconds';
}

export class LeaseElection<L extends LeaseRecord> {
  readonly #leases: LeaseAccess<L>;
  readonly #options: LeaseElectionOptions;
  /** as it was last seen, and when what it says was new, by the process's own clock */
  #seen: { readonly lease: L; readonly at: number } | undefined;
  #leader: string | undefined;
  /** when the renewal that came through last was asked for */
  #renewedAt = 0;

  /** @throws RangeError for times that do not fit together */
  constructor(leases: LeaseAccess<L>, options: LeaseElectionOptions) {
    const problem = problemOfTimes(options);
    if (problem !== undefined) throw new RangeError(problem);
    this.#leases = leases;
    this.#options = options;
  }

  /** Who leads, as far as is known. */
  get leader(): string | undefined {
    return this.#leader;
  }

  /**
   * Waits until this process is elected, and calls `lead`. Gives the lease up when that has ended.
   * @param lead ends when the signal of its term is aborted
   * @param signal ends waiting and leading
   * @returns what `lead` gives
   * @throws LeadershipLost where it had to end; what `lead` throws; the reason of the signal while it waits
   */
  async run<T>(lead: (term: Term) => Promise<T>, signal: AbortSignal): Promise<T> {
    await this.#acquire(signal);
    const ending = new AbortController();
    const over = AbortSignal.any([signal, ending.signal]);
    const renewing = this.#renew(over).catch((error: unknown) => ending.abort(error));
    try {
      const result = await lead({ signal: over, holds: () => !over.aborted && this.#timeLeft() > 0 });
      ending.signal.throwIfAborted();
      return result;
    } catch (error) {
      // whoever led may have failed because it had to end
      throw ending.signal.aborted ? ending.signal.reason : error;
    } finally {
      const isLost = ending.signal.aborted;
      ending.abort(new LeadershipLost('it has ended'));
      await renewing;
      if (!isLost) await this.#release();
    }
  }

  /** Milliseconds for which this process leads unless it renews its lease. */
  #timeLeft(): number {
    return this.#renewedAt + this.#options.renewDeadline - this.#options.clock.now();
  }

  async #acquire(signal: AbortSignal): Promise<void> {
    const { clock, renewDeadline, retryPeriod } = this.#options;
    for (;;) {
      signal.throwIfAborted();
      const asked = clock.now();
      const isElected = await within(clock, renewDeadline, signal, (limited) => this.#attempt(limited)).catch((error) =>
        this.#failed(error, signal),
      );
      if (isElected) {
        this.#renewedAt = asked;
        return;
      }
      await pause(retryPeriod * (1 + Math.random() * JITTER), signal, clock);
    }
  }

  /**
   * Resolves when the signal is aborted. The time that a lease is held counts from when it was asked for: others count from when the server has written it,
   * and the answer may come much later than that.
   * @throws LeadershipLost
   */
  async #renew(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        await within(this.#options.clock, Math.max(0, this.#timeLeft()), signal, (limited) => this.#renewOnce(limited));
      } catch (error) {
        if (signal.aborted) return;
        throw error instanceof LeadershipLost ? error : new LeadershipLost('the lease could not be renewed in time');
      }
    }
  }

  async #renewOnce(signal: AbortSignal): Promise<void> {
    const { clock, identity, retryPeriod } = this.#options;
    for (;;) {
      await pause(retryPeriod, signal, clock);
      const asked = clock.now();
      const isRenewed = await this.#attempt(signal).catch((error) => this.#failed(error, signal));
      signal.throwIfAborted();
      if (this.#timeLeft() <= 0) throw new LeadershipLost('the lease could not be renewed in time');
      if (isRenewed) {
        this.#renewedAt = asked;
        return;
      }
      if (this.#leader !== identity) throw new LeadershipLost(`${this.#leader || 'nobody'} holds the lease`);
    }
  }

  #failed(error: unknown, signal: AbortSignal): false {
    if (!signal.aborted) this.#options.onError?.(error);
    return false;
  }

  /** @returns whether this process holds the lease now */
  async #attempt(signal: AbortSignal): Promise<boolean> {
    // a leader knows the lease as it has written it
    const isKnown = this.#leader === this.#options.identity && this.#seen !== undefined;
    const taken = isKnown ? await this.#take(signal) : undefined;
    if (taken !== undefined) return taken;
    const lease = await this.#leases.read(signal);
    if (lease === undefined) return this.#create(signal);
    this.#observe(lease);
    if (this.#leader === this.#options.identity) this.#options.onSlowPath?.();
    return (await this.#take(signal)) ?? false;
  }

  async #create(signal: AbortSignal): Promise<boolean> {
    const now = this.#now();
    const held = { holderIdentity: this.#options.identity, leaseDurationSeconds: this.#durationSeconds };
    const spec = { ...held, acquireTime: now, renewTime: now, leaseTransitions: 0 };
    const created = await this.#leases.create(spec, signal);
    if (created !== undefined) this.#observe(created);
    return created !== undefined;
  }

  /** Takes the lease where nobody has it, and renews it where this process does. @returns undefined where the lease is no longer as it was seen */
  async #take(signal: AbortSignal): Promise<boolean | undefined> {
    const { lease, at } = this.#seen as { lease: L; at: number };
    const { identity, clock } = this.#options;
    const { holderIdentity = '', leaseDurationSeconds = 0, leaseTransitions = 0 } = lease.spec ?? {};
    const isMine = holderIdentity === identity;
    if (!isMine && holderIdentity !== '' && clock.now() - at < leaseDurationSeconds * SECOND) return false;
    const now = this.#now();
    const held = { holderIdentity: identity, leaseDurationSeconds: this.#durationSeconds };
    const begun = isMine ? {} : { acquireTime: now, leaseTransitions: leaseTransitions + 1 };
    return (await this.#update(lease, { ...lease.spec, ...held, renewTime: now, ...begun }, signal)) || undefined;
  }

  get #durationSeconds(): number {
    return this.#options.leaseDuration / SECOND;
  }

  /** Others need not wait until it is over. */
  async #release(): Promise<void> {
    const { clock, renewDeadline, onError } = this.#options;
    try {
      await within(clock, renewDeadline, new AbortController().signal, async (signal) => {
        if (await this.#giveUp(signal)) return;
        // a renewal that nobody waited for may have come through
        const lease = await this.#leases.read(signal);
        if (lease === undefined) return;
        this.#observe(lease);
        await this.#giveUp(signal);
      });
    } catch (error) {
      onError?.(error);
    }
  }

  /** @returns false where the lease is no longer as it was seen */
  async #giveUp(signal: AbortSignal): Promise<boolean> {
    if (this.#leader !== this.#options.identity || this.#seen === undefined) return true;
    const { lease } = this.#seen;
    return this.#update(lease, { ...lease.spec, holderIdentity: '', leaseDurationSeconds: 1, renewTime: this.#now() }, signal);
  }

  /** @returns false where the lease is no longer as it was seen */
  async #update(lease: L, spec: LeaseSpec, signal: AbortSignal): Promise<boolean> {
    const updated = await this.#leases.update(lease, spec, signal);
    if (updated !== undefined) this.#observe(updated);
    return updated !== undefined;
  }

  /** As in 1.32, a change of its metadata alone, which anybody may make, keeps no holder in office. */
  #observe(lease: L): void {
    const seen = this.#seen;
    const isSame = seen !== undefined && JSON.stringify(lease.spec) === JSON.stringify(seen.lease.spec);
    this.#seen = { lease, at: isSame ? seen.at : this.#options.clock.now() };
    const holder = lease.spec?.holderIdentity ?? '';
    if (holder === this.#leader) return;
    this.#leader = holder;
    this.#options.onLeader?.(holder);
  }

  /** RFC 3339 with microseconds. */
  #now(): string {
    return new Date(this.#options.clock.date()).toISOString().replace('Z', '000Z');
  }
}
