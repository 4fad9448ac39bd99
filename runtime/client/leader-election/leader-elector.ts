/** Elects one of several processes that are clients of a server, by a Lease there. */
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
  /** of the Lease, which is made where there is none */
  readonly name: string;
  /** of this process: no other one has it, not even a later one of the same machine */
  readonly identity: string;
  /** milliseconds for which others leave the lease to its holder; whole seconds; default 15,000 */
  readonly leaseDuration?: number;
  /** milliseconds after which a leader that cannot renew its lease leads no longer; less than `leaseDuration`; default 10,000 */
  readonly renewDeadline?: number;
  /** milliseconds between two attempts, of which up to 1.2 times as many are added while another one leads; 1.2 times it is less than `renewDeadline`; default 2,000 */
  readonly retryPeriod?: number;
  /** told who leads, whenever that is another one */
  readonly onLeader?: (identity: string) => void;
  /** told why an attempt failed, of those that the election goes on after */
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

/** Whoever waits to be elected does not end meanwhile. */
const CLOCK: DatedClock = { ...DATED_CLOCK, ...WAITING };

export class LeaderElector {
  readonly #client: Client;
  readonly #election: LeaseElection<Lease>;
  /** of the client, as it was when the election began */
  #ending: AbortSignal;

  /** @throws RangeError for times that do not fit together */
  constructor(client: Client, options: LeaderElectionOptions) {
    const { namespace, name, leaseDuration = LEASE_TIMES.leaseDuration } = options;
    const { renewDeadline = LEASE_TIMES.renewDeadline, retryPeriod = LEASE_TIMES.retryPeriod } = options;
    const leases = client.resource(LEASES).in(namespace);
    this.#client = client;
    this.#ending = client.ending;
    const access = accessOf(leases, name, (signal) => endedWithClient({ ending: this.#ending }, signal));
    this.#election = new LeaseElection(access, { ...options, leaseDuration, renewDeadline, retryPeriod, clock: CLOCK });
  }

  /** Who leads, as far as is known. */
  get leader(): string | undefined {
    return this.#election.leader;
  }

  /**
   * Waits until this process is elected, and calls `lead`. Gives the lease up when that has ended.
   * @param lead ends when its signal is aborted: with LeadershipLost, or with the reason of `signal`
   * @param signal ends waiting and leading; so does the end of the client, after which the lease cannot be given up
   * @returns what `lead` gives
   * @throws LeadershipLost where it had to end; what `lead` throws; the reason of the signal, or ConnectionError of a closed client, while it waits
   */
  run<T>(lead: (signal: AbortSignal) => Promise<T>, signal?: AbortSignal): Promise<T> {
    this.#ending = this.#client.ending;
    return this.#election.run((term) => lead(term.signal), endedWithClient(this.#client, signal));
  }
}

/** @param limited adds to a signal what else ends requests */
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

/** @returns undefined where it failed in an expected way */
async function unless<T>(isExpected: (error: unknown) => boolean, asked: Promise<T>): Promise<T | undefined> {
  try {
    return await asked;
  } catch (error) {
    if (isExpected(error)) return undefined;
    throw error;
  }
}
