/**
 * Elects one of several processes by a Lease: who holds it leads, and renews it for as long as it does. Clocks of machines are not compared: a lease is over
 * when it has not changed for its duration, as the process itself has seen it.
 * @see https://kubernetes.io/docs/concepts/architecture/leases/
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { isAlreadyExists, isConflict, isNotFound } from '../objects/api-error.ts';
import type { AnyMetadata } from '../objects/object.ts';
import type { Client } from '../resources/client.ts';
import type { Methods } from '../resources/methods.ts';
import type { Resource, ResourceTypes } from '../resources/resource.ts';

export interface LeaderElectionOptions {
  readonly namespace: string;
  /** of the Lease, which is made where there is none */
  readonly name: string;
  /** of this process: no other one has it, not even a later one of the same machine */
  readonly identity: string;
  /** milliseconds for which others leave the lease to its holder; whole seconds, 24 days at most; default 15,000 */
  readonly leaseDuration?: number;
  /** milliseconds after which a leader that cannot renew its lease leads no longer; less than `leaseDuration`; default 10,000 */
  readonly renewDeadline?: number;
  /** milliseconds between two attempts; less than `renewDeadline`; default 2,000 */
  readonly retryPeriod?: number;
  /** told who leads, whenever that is another one */
  readonly onLeader?: (identity: string) => void;
  /** told why an attempt failed, of those that the election goes on after */
  readonly onError?: (error: unknown) => void;
}

/** The lease has another holder, or could not be renewed in time. */
export class LeadershipLost extends Error {
  override readonly name = 'LeadershipLost';
}

interface LeaseSpec {
  readonly holderIdentity?: string;
  readonly leaseDurationSeconds?: number;
  readonly acquireTime?: string | null;
  readonly renewTime?: string | null;
  readonly leaseTransitions?: number;
}

interface Lease {
  kind?: string;
  apiVersion?: string;
  metadata: AnyMetadata & { name: string };
  spec?: LeaseSpec;
}

interface LeaseTypes extends ResourceTypes {
  object: Lease;
  scope: 'Namespaced';
  verbs: 'create' | 'get' | 'update';
  stored: false;
}

const LEASES: Resource<LeaseTypes> = {
  group: 'coordination.${groupDomain}',
  version: 'v1',
  name: 'leases',
  kind: 'Lease',
  scope: 'Namespaced',
};

const LEASE_DURATION = 15_000;
const RENEW_DEADLINE = 10_000;
const RETRY_PERIOD = 2_000;
const SECOND = 1_000;
const LONGEST_DURATION = 24 * 86_400 * SECOND;
/** Attempts of several processes do not come together. */
const JITTER = 0.2;

export class LeaderElector {
  readonly #options: LeaderElectionOptions;
  readonly #leases: Pick<Methods<LeaseTypes>, 'get' | 'create' | 'update'>;
  readonly #leaseDuration: number;
  readonly #renewDeadline: number;
  readonly #retryPeriod: number;
  /** as it was last seen, and when what it says was new, by the process's own clock */
  #seen: { readonly lease: Lease; readonly at: number } | undefined;
  #leader: string | undefined;

  /** @throws RangeError for times that do not fit together */
  constructor(client: Client, options: LeaderElectionOptions) {
    const { leaseDuration = LEASE_DURATION, renewDeadline = RENEW_DEADLINE, retryPeriod = RETRY_PERIOD } = options;
    if (!(leaseDuration > renewDeadline && renewDeadline > retryPeriod && retryPeriod > 0))
      throw new RangeError('leaseDuration must be longer than renewDeadline, and that longer than retryPeriod');
    // it is the longest of the times that are waited for, each by one timer of Node
    if (leaseDuration > LONGEST_DURATION) throw new RangeError('leaseDuration must be 24 days at most');
    if (leaseDuration % SECOND !== 0) throw new RangeError('leaseDuration must be whole seconds');
    this.#options = options;
    this.#leases = client.resource(LEASES).in(options.namespace);
    this.#leaseDuration = leaseDuration;
    this.#renewDeadline = renewDeadline;
    this.#retryPeriod = retryPeriod;
  }

  /** Who leads, as far as is known. */
  get leader(): string | undefined {
    return this.#leader;
  }

  /**
   * Waits until this process is elected, and calls `lead`. Gives the lease up when that has ended.
   * @param lead ends when its signal is aborted: with LeadershipLost, or with the reason of `signal`
   * @param signal ends waiting and leading
   * @returns what `lead` gives
   * @throws LeadershipLost where it had to end; what `lead` throws; the reason of the signal while it waits
   */
  async run<T>(lead: (signal: AbortSignal) => Promise<T>, signal: AbortSignal = new AbortController().signal): Promise<T> {
    const acquiredAt = await this.#acquire(signal);
    const term = new AbortController();
    const leading = AbortSignal.any([signal, term.signal]);
    const renewing = this.#renew(acquiredAt, leading).catch((error: unknown) => {
      term.abort(error);
    });
    try {
      const result = await lead(leading);
      if (term.signal.aborted) throw term.signal.reason;
      return result;
    } catch (error) {
      // whoever led may have failed because it had to end
      throw term.signal.aborted ? term.signal.reason : error;
    } finally {
      const isLost = term.signal.aborted;
      term.abort(new LeadershipLost('it has ended'));
      await renewing;
      if (!isLost) await this.#release();
    }
  }

  /** @returns when it was asked for, by `performance.now()` */
  async #acquire(signal: AbortSignal): Promise<number> {
    for (;;) {
      signal.throwIfAborted();
      const asked = performance.now();
      const limit = AbortSignal.any([signal, AbortSignal.timeout(this.#renewDeadline)]);
      if (await this.#attempt(limit).catch((error) => this.#failed(error, signal))) return asked;
      await this.#pause(signal);
    }
  }

  /**
   * Resolves when the signal is aborted. The time that a lease is held counts from when it was asked for: others count from when the server has written it,
   * and the answer may come much later than that.
   * @throws LeadershipLost
   */
  async #renew(acquiredAt: number, signal: AbortSignal): Promise<void> {
    for (let renewedAt = acquiredAt; ; ) {
      const left = Math.max(0, renewedAt + this.#renewDeadline - performance.now());
      const deadline = AbortSignal.any([signal, AbortSignal.timeout(Math.ceil(left))]);
      await this.#pause(deadline).catch(() => {});
      let asked = performance.now();
      while (!(await this.#attempt(deadline).catch((error) => this.#failed(error, signal)))) {
        if (signal.aborted) return;
        if (this.#leader !== this.#options.identity) throw new LeadershipLost(`${this.#leader || 'nobody'} holds the lease`);
        if (performance.now() - renewedAt >= this.#renewDeadline) throw new LeadershipLost('the lease could not be renewed in time');
        await this.#pause(deadline).catch(() => {});
        asked = performance.now();
      }
      if (signal.aborted) return;
      renewedAt = asked;
    }
  }

  #failed(error: unknown, signal: AbortSignal): false {
    if (!signal.aborted) this.#options.onError?.(error);
    return false;
  }

  async #pause(signal: AbortSignal): Promise<void> {
    const pause = this.#retryPeriod * (1 + Math.random() * JITTER);
    await sleep(pause, undefined, { signal }).catch(() => {
      throw signal.reason;
    });
  }

  /** @returns whether this process holds the lease now */
  async #attempt(signal: AbortSignal): Promise<boolean> {
    // a leader knows the lease as it has written it
    const isKnown = this.#leader === this.#options.identity && this.#seen !== undefined;
    const taken = isKnown ? await this.#take(signal) : undefined;
    if (taken !== undefined) return taken;
    if (!(await this.#read(signal))) return this.#create(signal);
    return (await this.#take(signal)) ?? false;
  }

  /** @returns false where there is no lease */
  async #read(signal: AbortSignal): Promise<boolean> {
    try {
      this.#observe(await this.#leases.get(this.#options.name, { signal }));
      return true;
    } catch (error) {
      if (isNotFound(error)) return false;
      throw error;
    }
  }

  async #create(signal: AbortSignal): Promise<boolean> {
    const { name, identity } = this.#options;
    const now = microTime();
    const spec = { holderIdentity: identity, ...this.#renewed(now), acquireTime: now, leaseTransitions: 0 };
    try {
      this.#observe(await this.#leases.create({ metadata: { name }, spec }, { signal }));
      return true;
    } catch (error) {
      if (isAlreadyExists(error)) return false;
      throw error;
    }
  }

  /** Takes the lease where nobody has it, and renews it where this process does. @returns undefined where the lease is no longer as it was seen */
  async #take(signal: AbortSignal): Promise<boolean | undefined> {
    const { lease, at } = this.#seen as { lease: Lease; at: number };
    const { identity } = this.#options;
    const { holderIdentity = '', leaseDurationSeconds = 0, leaseTransitions = 0, acquireTime = null } = lease.spec ?? {};
    const isMine = holderIdentity === identity;
    if (!isMine && holderIdentity !== '' && performance.now() - at < leaseDurationSeconds * SECOND) return false;
    const now = microTime();
    const begun = isMine ? { acquireTime, leaseTransitions } : { acquireTime: now, leaseTransitions: leaseTransitions + 1 };
    const spec = { ...lease.spec, holderIdentity: identity, ...this.#renewed(now), ...begun };
    return (await this.#update({ ...lease, spec }, signal)) || undefined;
  }

  #renewed(renewTime: string): Pick<LeaseSpec, 'leaseDurationSeconds' | 'renewTime'> {
    return { leaseDurationSeconds: this.#leaseDuration / SECOND, renewTime };
  }

  /** Others need not wait until it is over. */
  async #release(): Promise<void> {
    const signal = AbortSignal.timeout(this.#renewDeadline);
    try {
      if (await this.#giveUp(signal)) return;
      // a renewal that nobody waited for may have come through
      if (await this.#read(signal)) await this.#giveUp(signal);
    } catch (error) {
      this.#options.onError?.(error);
    }
  }

  /** @returns false where the lease is no longer as it was seen */
  async #giveUp(signal: AbortSignal): Promise<boolean> {
    if (this.#leader !== this.#options.identity || this.#seen === undefined) return true;
    const { lease } = this.#seen;
    const spec = { ...lease.spec, holderIdentity: '', leaseDurationSeconds: 1, renewTime: microTime() };
    return this.#update({ ...lease, spec }, signal);
  }

  /** @returns false where the lease is no longer as it was seen */
  async #update(lease: Lease, signal: AbortSignal): Promise<boolean> {
    try {
      this.#observe(await this.#leases.update(lease, { signal }));
      return true;
    } catch (error) {
      if (isConflict(error) || isNotFound(error)) return false;
      throw error;
    }
  }

  /** As in 1.32, a change of its metadata alone, which anybody may make, keeps no holder in office. */
  #observe(lease: Lease): void {
    const seen = this.#seen;
    const isSame = seen !== undefined && JSON.stringify(lease.spec) === JSON.stringify(seen.lease.spec);
    this.#seen = { lease, at: isSame ? seen.at : performance.now() };
    const holder = lease.spec?.holderIdentity ?? '';
    if (holder === this.#leader) return;
    this.#leader = holder;
    this.#options.onLeader?.(holder);
  }
}

/** RFC 3339 with microseconds. */
const microTime = (): string => new Date().toISOString().replace('Z', '000Z');
