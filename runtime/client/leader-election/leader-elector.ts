/** Elects one of several processes by a Lease on the server of which they are clients. */
import { isAlreadyExists, isConflict, isNotFound } from '../objects/api-error.ts';
import type { AnyMetadata } from '../objects/object.ts';
import type { Client } from '../resources/client.ts';
import { endedWithClient } from '../resources/ended-with-client.ts';
import type { Methods } from '../resources/methods.ts';
import type { Resource, ResourceTypes } from '../resources/resource.ts';
import { WAITING } from '../timers/long-timer.ts';
import { DATED_CLOCK, type DatedClock } from '../work-queue/clock.ts';
import { LEASE_TIMES, type LeaseAccess, LeaseElection, type LeaseSpec } from './lease-election.ts';

export { LeadershipLost } from './lease-election.ts';

export interface LeaderElectionOptions {
  readonly namespace: string;
  /** of the Lease, which is created if it does not exist */
  readonly name: string;
  /** identity of this process; no other process may have it, not even a later one on the same machine */
  readonly identity: string;
  /** milliseconds for which others respect an unchanged lease; must be whole seconds; default 15,000 */
  readonly leaseDuration?: number;
  /** milliseconds after which a leader that cannot renew its lease stops leading; less than `leaseDuration`; default 10,000 */
  readonly renewDeadline?: number;
  /** milliseconds between two attempts; up to 1.2 times as many are added while another process leads; 1.2 times it must be less than `renewDeadline`; default 2,000 */
  readonly retryPeriod?: number;
  /** is called with the leader whenever it changes */
  readonly onLeader?: (identity: string) => void;
  /** is called with the error of each failed attempt after which the election goes on */
  readonly onError?: (error: unknown) => void;
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

/** The clock's timers keep the process alive while it waits to be elected. */
const CLOCK: DatedClock = { ...DATED_CLOCK, ...WAITING };

export class LeaderElector {
  readonly #client: Client;
  readonly #election: LeaseElection<Lease>;
  /** the client's signal of its end, as it was when the election began */
  #ending: AbortSignal;

  /** @throws RangeError for times that do not fit together, and for an empty identity */
  constructor(client: Client, options: LeaderElectionOptions) {
    const { namespace, name, leaseDuration = LEASE_TIMES.leaseDuration } = options;
    const { renewDeadline = LEASE_TIMES.renewDeadline, retryPeriod = LEASE_TIMES.retryPeriod } = options;
    const leases = client.resource(LEASES).in(namespace);
    this.#client = client;
    this.#ending = client.ending;
    const access = accessOf(leases, name, (signal) => endedWithClient({ ending: this.#ending }, signal));
    this.#election = new LeaseElection(access, { ...options, leaseDuration, renewDeadline, retryPeriod, clock: CLOCK });
  }

  /** The leader, as far as this process knows. */
  get leader(): string | undefined {
    return this.#election.leader;
  }

  /**
   * Waits until this process is elected, and calls `lead`. Gives up the lease when `lead` has ended.
   * @param lead must end when its signal is aborted, with LeadershipLost or with the reason of `signal`
   * @param signal ends waiting and leading; the end of the client does so too, but then the lease cannot be given up
   * @returns the result of `lead`
   * @throws LeadershipLost if `lead` had to end; what `lead` throws; while it waits, the reason of the signal, or ConnectionError of a closed client
   */
  run<T>(lead: (signal: AbortSignal) => Promise<T>, signal?: AbortSignal): Promise<T> {
    this.#ending = this.#client.ending;
    return this.#election.run((term) => lead(term.signal), endedWithClient(this.#client, signal));
  }
}

/** @param limited makes a signal that also ends for the other reasons that end requests */
const accessOf = (
  leases: Pick<Methods<LeaseTypes>, 'get' | 'create' | 'update'>,
  name: string,
  limited: (signal: AbortSignal) => AbortSignal,
): LeaseAccess<Lease> => ({
  read: (signal) => unless(isNotFound, leases.get(name, { signal: limited(signal) })),
  create: (spec, signal) => unless(isAlreadyExists, leases.create({ metadata: { name }, spec }, { signal: limited(signal) })),
  update: (lease, spec, signal) =>
    unless((error) => isConflict(error) || isNotFound(error), leases.update({ ...lease, spec }, { signal: limited(signal) })),
});

/** @returns undefined if the request failed in an expected way */
async function unless<T>(isExpected: (error: unknown) => boolean, asked: Promise<T>): Promise<T | undefined> {
  try {
    return await asked;
  } catch (error) {
    if (isExpected(error)) return undefined;
    throw error;
  }
}
