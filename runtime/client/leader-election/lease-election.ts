/**
 * Elects one of several processes by a Lease. The holder leads, and renews the lease as long as it does. Clocks of different machines are not compared: for each
 * process a lease has expired when that process has seen no change for the lease's duration. The caller provides the functions that read and write the lease.
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

/** Reads and writes the lease. If it throws, the attempt has failed, and another one follows. */
export interface LeaseAccess<L extends LeaseRecord> {
  /** @returns undefined if there is no lease */
  read(signal: AbortSignal): Promise<L | undefined>;
  /** @returns the stored lease; undefined if there is one already */
  create(spec: LeaseSpec, signal: AbortSignal): Promise<L | undefined>;
  /** @returns the stored lease; undefined if it has changed since it was read */
  update(lease: L, spec: LeaseSpec, signal: AbortSignal): Promise<L | undefined>;
}

/** All times in milliseconds. */
export interface LeaseTimes {
  /** for which others respect an unchanged lease; must be whole seconds */
  readonly leaseDuration: number;
  /** after which a leader that cannot renew its lease stops leading; less than `leaseDuration` */
  readonly renewDeadline: number;
  /** between two attempts; `JITTER` times it must be less than `renewDeadline` */
  readonly retryPeriod: number;
}

export interface LeaseElectionOptions extends LeaseTimes {
  /** identity of this process; no other process may have it, not even a later one on the same machine */
  readonly identity: string;
  readonly clock: DatedClock;
  /** is called with the leader, '' for nobody, whenever it changes */
  readonly onLeader?: (identity: string) => void;
  /** is called each time the leader has to read its lease again to renew it */
  readonly onSlowPath?: () => void;
  /** is called with the error of each failed attempt after which the election goes on */
  readonly onError?: (error: unknown) => void;
}

/** A time in which this process leads. */
export interface Term {
  /** is aborted when the term is over, by LeadershipLost or by the caller's reason */
  readonly signal: AbortSignal;
  /** Whether this process still leads, by the present time. A process that was suspended so notices the end before its timers run. */
  holds(): boolean;
}

/** The lease has another holder, or could not be renewed in time. */
export class LeadershipLost extends Error {
  override readonly name = 'LeadershipLost';
}

/** Defaults of client-go, in milliseconds. */
export const LEASE_TIMES: LeaseTimes = { leaseDuration: 15_000, renewDeadline: 10_000, retryPeriod: 2_000 };
const SECOND = 1_000;
/** As in client-go, up to this part of the period is added to it, so that several processes do not try to acquire the lease at the same time. */
export const JITTER = 1.2;

/** @returns what is wrong with the times, in the words of client-go; undefined if nothing is */
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
  /** the lease as it was last seen, and when its spec last changed, by the clock of this process */
  #seen: { readonly lease: L; readonly at: number } | undefined;
  #leader: string | undefined;
  /** when the last successful renewal was sent */
  #renewedAt = 0;

  /** @throws RangeError for times that do not fit together, and for an empty identity, which stands for nobody: any number of processes would lead */
  constructor(leases: LeaseAccess<L>, options: LeaseElectionOptions) {
    const problem = options.identity === '' ? 'identity must not be empty' : problemOfTimes(options);
    if (problem !== undefined) throw new RangeError(problem);
    this.#leases = leases;
    this.#options = options;
  }

  /** The leader, as far as this process knows. */
  get leader(): string | undefined {
    return this.#leader;
  }

  /**
   * Waits until this process is elected, and calls `lead`. Gives up the lease when `lead` has ended.
   * @param lead must end when the signal of its term is aborted
   * @param signal ends waiting and leading
   * @returns the result of `lead`
   * @throws LeadershipLost if `lead` had to end; what `lead` throws; the reason of the signal while it waits
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
      // `lead` may have failed just because it had to end
      throw ending.signal.aborted ? ending.signal.reason : error;
    } finally {
      const isLost = ending.signal.aborted;
      ending.abort(new LeadershipLost('it has ended'));
      await renewing;
      if (!isLost) await this.#release();
    }
  }

  /** Milliseconds until this process stops leading, unless it renews its lease. */
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
   * Renews the lease until the signal is aborted. A renewal counts from the moment at which it was sent: others count from when the server has stored it, and
   * the answer may arrive much later than that.
   * @throws LeadershipLost if another process holds the lease, or it could not be renewed in time
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
    // a leader knows its own last version of the lease, so it need not read it first
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

  /** Takes the lease if it is free, or renews the own one. @returns false if another process holds it; undefined if it has changed since it was seen */
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

  /** Gives up the lease, so that others need not wait until it expires. */
  async #release(): Promise<void> {
    const { clock, renewDeadline, onError } = this.#options;
    try {
      await within(clock, renewDeadline, new AbortController().signal, async (signal) => {
        if (await this.#giveUp(signal)) return;
        // an earlier renewal may have succeeded although its answer was not awaited
        const lease = await this.#leases.read(signal);
        if (lease === undefined) return;
        this.#observe(lease);
        await this.#giveUp(signal);
      });
    } catch (error) {
      onError?.(error);
    }
  }

  /** @returns false if the lease has changed since it was seen */
  async #giveUp(signal: AbortSignal): Promise<boolean> {
    if (this.#leader !== this.#options.identity || this.#seen === undefined) return true;
    const { lease } = this.#seen;
    return this.#update(lease, { ...lease.spec, holderIdentity: '', leaseDurationSeconds: 1, renewTime: this.#now() }, signal);
  }

  /** @returns false if the lease has changed since it was seen */
  async #update(lease: L, spec: LeaseSpec, signal: AbortSignal): Promise<boolean> {
    const updated = await this.#leases.update(lease, spec, signal);
    if (updated !== undefined) this.#observe(updated);
    return updated !== undefined;
  }

  /** Notes the lease that was read. As in 1.32, a change of only its metadata does not count as a renewal. */
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
