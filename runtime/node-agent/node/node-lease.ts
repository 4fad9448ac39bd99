/** Renews the node's Lease, which shows that the node lives: every ten seconds, and sooner after a failure (specification: Limits). */
import { type Lease, leases } from '../../../generated/client/coordination/v1/index.ts';
import { isAlreadyExists, isConflict, isNotFound } from '../../client/objects/api-error.ts';
import type { Client } from '../../client/resources/client.ts';
import type { Clock } from '../../client/work-queue/clock.ts';
import type { Identity } from '../../contract/identity.ts';
import { Repeating } from './repeating.ts';

export interface NodeLeaseOptions {
  readonly client: Client;
  readonly identity: Identity;
  readonly nodeName: string;
  /** how long the lease is valid; it is renewed after a quarter of that time */
  readonly durationSeconds: number;
  /** Returns the uid of the node; undefined while it is not known, in which case the lease gets its owner later. */
  readonly nodeUid: () => string | undefined;
  readonly clock: Clock;
  /** Returns numbers from 0 to 1, for tests; absent for random ones. */
  readonly random?: () => number;
  /** Is called with the error of each renewal that failed. It is tried again. */
  readonly failed: (error: unknown) => void;
}

/** Pauses after failed renewals, in milliseconds. */
const RETRIES = { first: 200, longest: 7_000 };
/** How many times a lease is renewed within its validity. */
const RENEWALS = 4;
/** The largest random addition to the pause, as a part of it, so that agents that started together do not renew together. */
const JITTER = 0.04;
/** The most repetitions of one renewal if others have changed the lease meanwhile. */
const MAX_CONFLICTS = 5;
const SECOND = 1_000;

export class NodeLease {
  readonly #options: NodeLeaseOptions;
  readonly #leases;
  readonly #renewals: Repeating;
  /** the last known state of the lease at the server */
  #known: Lease | undefined;

  constructor(options: NodeLeaseOptions) {
    this.#options = options;
    const { client, identity, durationSeconds, clock, random = Math.random, failed } = options;
    this.#leases = client.resource(leases).in(identity.names.leaseNamespace as string);
    const pause = (): number => ((durationSeconds * SECOND) / RENEWALS) * (1 + random() * JITTER);
    this.#renewals = new Repeating({
      clock,
      retries: RETRIES,
      failed,
      work: async (signal) => {
        await this.#renew(signal);
        return pause();
      },
    });
  }

  start(): void {
    this.#renewals.start();
  }

  stop(): Promise<void> {
    return this.#renewals.stop();
  }

  async #renew(signal: AbortSignal): Promise<void> {
    for (let conflicts = 0; ; conflicts++)
      try {
        this.#known = await this.#written(signal);
        return;
      } catch (error) {
        this.#known = undefined;
        const isOutdated = isConflict(error) || isNotFound(error) || isAlreadyExists(error);
        if (!isOutdated || conflicts >= MAX_CONFLICTS) throw error;
      }
  }

  async #written(signal: AbortSignal): Promise<Lease> {
    const { nodeName } = this.#options;
    this.#known ??= (await this.#leases.get(nodeName, { signal }).catch((error) => {
      if (isNotFound(error)) return undefined;
      throw error;
    })) as Lease | undefined;
    const lease = this.#renewed(this.#known);
    const written =
      this.#known === undefined
        ? await this.#leases.create(lease, { signal })
        : await this.#leases.update(lease as Lease & { metadata: { name: string } }, { signal });
    // an update without managed fields leaves them as they are, so they need not be sent
    const { managedFields: _, ...metadata } = written.metadata;
    return { ...written, metadata } as Lease;
  }

  #renewed(known: Lease | undefined): Lease {
    const { nodeName, durationSeconds, identity, nodeUid } = this.#options;
    const spec = { ...known?.spec, holderIdentity: nodeName, leaseDurationSeconds: durationSeconds, renewTime: microTime() };
    const uid = nodeUid();
    const owned = uid !== undefined && { ownerReferences: [{ apiVersion: 'v1', kind: 'Node', name: nodeName, uid }] };
    if (known !== undefined) {
      const lacksOwner = (known.metadata?.ownerReferences ?? []).length === 0;
      return { ...known, metadata: { ...known.metadata, ...(lacksOwner && owned) }, spec } as Lease;
    }
    const metadata = { name: nodeName, namespace: identity.names.leaseNamespace as string, ...owned };
    return { kind: 'Lease', apiVersion: identity.text('coordination.${groupDomain}/v1'), metadata, spec } as Lease;
  }
}

/** The current time by RFC 3339 with microseconds, which are 0 below the milliseconds. */
const microTime = (): string => new Date().toISOString().replace('Z', '000Z');
