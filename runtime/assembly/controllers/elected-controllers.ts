/**
 * The controllers that one server runs on behalf of all servers of a store, while it holds a Lease. Their writes are fenced: the store
 * refuses them once another server holds the Lease, even if this process was suspended and has not noticed yet.
 */
import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { LeadershipLost, LeaseElection, type Term } from '../../client/leader-election/lease-election.ts';
import { DATED_CLOCK } from '../../client/work-queue/clock.ts';
import type { ControllerName } from '../../controllers/chosen-controllers.ts';
import type { LeaderLease, LeaseObject } from '../../controllers/election/leader-lease.ts';
import type { LongRequests } from '../../endpoints/long-body.ts';
import type { Count } from '../../observability/metrics.ts';
import { RecurringFailures } from '../../observability/recurring-failures.ts';
import { ConvertingStorage } from '../../registry/resource-store/converting-storage.ts';
import { WriteFenced } from '../../storage/errors.ts';
import type { Fence, ServedStorage, Storage } from '../../storage/storage.ts';
import { type ApiServer, ownWorkOver } from '../parts/api-server.ts';
import type { LeaderElectionSettings } from '../setup/leader-election-flags.ts';
import { type ControllerSettings, Controllers, type Place } from './controllers.ts';

/** Makes the helper for long requests over a given store. The caller must close it. */
export type LongRequestsOver = (storage: Storage) => LongRequests & { close(): Promise<void> };

export interface ElectedParts {
  /** the server in its form for own work, see `forOwnWork` */
  readonly server: ApiServer;
  /** the storage beneath the one that the server converts */
  readonly storage: ServedStorage;
  readonly longRequestsOver: LongRequestsOver;
  readonly lease: LeaderLease;
  readonly election: LeaderElectionSettings;
  /**
   * Becomes part of the holder's name, behind the name of the machine as in 1.32. A process that replaces another one of the same start has
   * the same name, so it need not wait until that one's lease expires.
   */
  readonly startId: string;
  readonly names: readonly ControllerName[];
  readonly settings: ControllerSettings;
  /** the controllers of this place run here */
  readonly place: Place;
}

export class ElectedControllers {
  readonly #parts: ElectedParts;
  readonly #identity: string;
  readonly #election: LeaseElection<LeaseObject>;
  readonly #fields: { readonly lease: string };
  readonly #slowPaths: Count;
  readonly #failures = new RecurringFailures();
  readonly #ending = new AbortController();
  readonly #running: Promise<void>;

  /** Competes for the lease until `stop` is called. */
  constructor(parts: ElectedParts) {
    this.#parts = parts;
    const { lease, election, startId } = parts;
    this.#identity = `${hostname()}_${startId}`;
    this.#slowPaths = parts.server.metrics.counter('leader_election_slowpath_total').with({ name: election.name });
    this.#fields = { lease: `${election.namespace}/${election.name}` };
    this.#election = new LeaseElection(lease, {
      ...election,
      identity: this.#identity,
      clock: DATED_CLOCK,
      onLeader: (holder) => this.#tellLeader(holder),
      onSlowPath: () => this.#slowPaths.inc(),
      onError: (error) => this.#tellFailure(error),
    });
    this.#tellStatus(0);
    this.#running = this.#run();
  }

  /** Resolves when the controllers have stopped and the lease is released. */
  async stop(): Promise<void> {
    this.#ending.abort(new Error('the server ends'));
    await this.#running;
  }

  async #run(): Promise<void> {
    const { log } = this.#parts.server;
    const { signal } = this.#ending;
    while (!signal.aborted) {
      try {
        await this.#election.run((term) => this.#lead(term), signal);
      } catch (error) {
        if (signal.aborted) return;
        if (error instanceof LeadershipLost) {
          log.warn({ ...this.#fields, reason: error.message }, 'this server leads no longer: its controllers have stopped');
          continue;
        }
        log.error({ ...this.#fields, err: error }, 'controllers do not run; it is tried again');
        await sleep(this.#parts.election.retryPeriod, undefined, { signal }).catch(() => {});
      }
    }
  }

  async #lead(term: Term): Promise<void> {
    const { server, storage, longRequestsOver, names, settings, lease, place } = this.#parts;
    this.#failures.succeeded('attempt');
    server.log.info({ ...this.#fields, identity: this.#identity }, 'this server leads: controllers run here');
    this.#tellStatus(1);
    const fence: Fence = { key: lease.key, revision: () => (term.holds() ? lease.revisionHeldBy(this.#identity) : undefined) };
    const fenced = storage.fenced?.(fence) ?? storage;
    const longRequests = longRequestsOver(fenced);
    try {
      const own = ownWorkOver(server, { storage: asServed(server, fenced), longRequests });
      const controllers = await Controllers.start({ ...own, log: quietOnLoss(server.log) }, names, settings, [place]);
      await ended(term.signal);
      this.#tellStatus(0);
      await controllers.stop();
    } finally {
      this.#tellStatus(0);
      await longRequests.close();
    }
  }

  #tellStatus(status: 0 | 1): void {
    this.#parts.server.metrics.gauge('leader_election_master_status').set({ name: this.#parts.election.name }, status);
  }

  #tellLeader(holder: string): void {
    if (holder === this.#identity || holder === '') return;
    this.#parts.server.log.info({ ...this.#fields, holder }, 'another server leads: controllers run there');
  }

  #tellFailure(error: unknown): void {
    if (!this.#failures.isNew('attempt', error)) return;
    this.#parts.server.log.warn({ ...this.#fields, err: error }, 'the lease of the leader could not be read or written; it is tried again');
  }
}

/** Converts the fenced storage as that of the server is converted. */
const asServed = ({ storage }: ApiServer, fenced: Storage): Storage =>
  storage instanceof ConvertingStorage ? storage.over(fenced) : fenced;

/** Hides the errors of writes that came after the term, because the end of the term is logged once. */
const quietOnLoss = (log: ApiServer['log']): ApiServer['log'] => ({
  debug: (fields, message) => log.debug(fields, message),
  info: (fields, message) => log.info(fields, message),
  warn: (fields, message) => log.warn(fields, message),
  error(fields, message) {
    if (!('err' in fields && fields.err instanceof WriteFenced)) log.error(fields, message);
  },
});

const ended = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
