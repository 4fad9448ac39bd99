/**
 * The Lease by which others see which servers there are and that this one lives, as 1.32 keeps it (KEP-1965). Those of servers that are gone
 * are removed when they have expired.
 */
import { createHash, randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import type { ManagedFieldsEntry } from '../../../generated/meta/v1/types.ts';
import type { Identity } from '../../contract/identity.ts';
import type { ApiObject } from '../../contract/object.ts';
import { RecurringFailures } from '../../observability/recurring-failures.ts';
import { SERVER_MANAGER } from '../../registry/resource-store/field-managers.ts';
import { timestamp } from '../../registry/resource-store/strategy.ts';
import type { Resource } from '../../registry/resources/resource.ts';
import { storageKey, storagePrefix } from '../../registry/resources/resource-keys.ts';
import { encodeStoredObject, StoredObject } from '../../registry/stored-objects/stored-object.ts';
import { formatMicroTime } from '../../schema/scalar/time.ts';
import { isConflict, isNotFound } from '../../status/status.ts';
import { Conflict, KeyNotFound } from '../../storage/errors.ts';
import type { Entry } from '../../storage/storage.ts';
import { ensureObjects } from '../../system-objects/ensure.ts';
import type { SystemObject } from '../../system-objects/system-object.ts';
import type { Controller } from '../controller/controller.ts';
import type { ControllerServer } from '../controller/controller-server.ts';
import { entrySlices } from '../controller/entry-slices.ts';

/** The seconds for which a lease is valid, as in 1.32. */
const DURATION_SECONDS = 3_600;
/** The milliseconds between renewals, as in 1.32. */
const RENEWAL = 10_000;
/** The milliseconds between removals of expired leases. */
const COLLECTION = 3_600_000;
/** The number of entries that are examined in one turn. */
const SLICE = 256;

export interface LeaseSettings {
  /** the name of this machine */
  readonly host: string;
  /** milliseconds between renewals */
  readonly renewal: number;
}

/** @returns undefined where leases are not served, or the gate is closed */
export function identityLease(
  server: ControllerServer,
  { host = hostname(), renewal = RENEWAL }: Partial<LeaseSettings> = {},
): IdentityLease | undefined {
  const leases = server.registry.current.resource(server.identity.text('coordination.${groupDomain}'), 'v1', 'leases');
  return leases && server.featureEnabled('APIServerIdentity') ? new IdentityLease(server, leases, { host, renewal }) : undefined;
}

export class IdentityLease implements Controller {
  readonly #server: ControllerServer;
  readonly #renewal: number;
  readonly #leases: Resource;
  readonly #namespace: string;
  readonly #labels: Readonly<Record<string, string>>;
  readonly #name: string;
  /** another one for each start */
  readonly #holder: string;
  #timers: readonly NodeJS.Timeout[] | undefined;
  #work: Promise<void> = Promise.resolve();
  #stopped = false;
  readonly #failures = new RecurringFailures();

  constructor(server: ControllerServer, leases: Resource, { host, renewal }: LeaseSettings) {
    const { text } = server.identity;
    this.#renewal = renewal;
    this.#server = server;
    this.#leases = leases;
    this.#namespace = text('${systemNamespace}');
    this.#labels = { [text('apiserver.${labelDomain}/identity')]: text('${serverName}'), [text('${labelDomain}/hostname')]: host };
    this.#name = identityName(server.identity, host);
    this.#holder = `${this.#name}_${randomUUID()}`;
  }

  async list(): Promise<void> {
    if (this.#timers !== undefined || this.#stopped) return;
    this.#timers = [setInterval(() => this.renew(), this.#renewal).unref(), setInterval(() => this.collect(), COLLECTION).unref()];
    this.renew();
    this.collect();
  }

  changed(): void {}

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#timers?.forEach(clearInterval);
    await this.#work;
  }

  /** Resolves when the lease says that this server lives; what hinders it is logged, once for each reason. */
  renew(): Promise<void> {
    return this.#begin(async () => {
      try {
        await this.#renew();
        this.#failures.succeeded('renewal');
      } catch (error) {
        if (this.#failures.isNew('renewal', error))
          this.#server.log.error({ err: error }, 'the lease of this server could not be renewed; it is tried again');
      }
    });
  }

  /** Resolves when the leases of servers that have expired are gone. */
  collect(): Promise<void> {
    return this.#begin(async () => {
      try {
        await this.#collect();
      } catch (error) {
        this.#server.log.error({ err: error }, 'leases of servers that are gone could not be removed');
      }
    });
  }

  #begin(work: () => Promise<void>): Promise<void> {
    this.#work = this.#work.then(() => (this.#stopped ? undefined : work()));
    return this.#work;
  }

  /** A lease that is there is written as it was stored, so that an idle server loads nothing of its kind. */
  async #renew(): Promise<void> {
    const { storage } = this.#server;
    const now = Date.now();
    const entry = storage.get(storageKey(this.#leases, this.#namespace, this.#name));
    if (entry === undefined) return void (await ensureObjects(this.#server, [this.#newLease(now)]));
    const stored = new StoredObject(entry.value);
    const renewed = this.#renewed(stored.parse(), now);
    try {
      await storage.update(entry.key, entry.revision, encodeStoredObject(renewed, stored.schemaHash, stored.fields, renewed.metadata));
    } catch (error) {
      // Somebody else has written it: the next renewal comes soon enough.
      if (!(error instanceof Conflict || error instanceof KeyNotFound)) throw error;
    }
  }

  #newLease(now: number): SystemObject {
    const { group, version, name } = { ...this.#leases.groupVersion, ...this.#leases.data };
    const spec = { holderIdentity: this.#holder, leaseDurationSeconds: DURATION_SECONDS, renewTime: microTime(now) };
    return {
      resource: { group, version, name },
      metadata: { namespace: this.#namespace, name: this.#name, labels: this.#labels },
      members: { spec },
    };
  }

  #renewed(lease: ApiObject, now: number): ApiObject {
    const { metadata, spec } = lease;
    const managedFields = (metadata.managedFields as ManagedFieldsEntry[] | undefined)?.map((entry) =>
      entry.manager === SERVER_MANAGER && entry.operation === 'Update' ? { ...entry, time: timestamp(now) } : entry,
    );
    return {
      ...lease,
      metadata: { ...metadata, labels: { ...metadata.labels, ...this.#labels }, ...(managedFields && { managedFields }) },
      spec: { ...spec, holderIdentity: this.#holder, leaseDurationSeconds: DURATION_SECONDS, renewTime: microTime(now) },
    };
  }

  async #collect(): Promise<void> {
    const prefix = storagePrefix(this.#leases, this.#namespace);
    for await (const slice of entrySlices(this.#server.storage, prefix, { size: SLICE })) {
      const expired: ApiObject[] = [];
      for (const entry of slice) if (this.#isServers(entry)) expired.push(new StoredObject(entry.value).parse());
      for (const { metadata } of expired.filter((lease) => isExpired(lease, Date.now()))) await this.#remove(metadata);
      if (this.#stopped) return;
    }
  }

  #isServers({ value }: Entry): boolean {
    const [[label, server] = []] = Object.entries(this.#labels);
    return new StoredObject(value).label(label as string) === server;
  }

  /** One that was renewed meanwhile stays. */
  async #remove({ name = '', resourceVersion = '' }: ApiObject['metadata']): Promise<void> {
    const store = await this.#server.store(this.#leases);
    try {
      await store.deletions.delete(
        this.#namespace,
        name,
        { preconditions: { resourceVersion } },
        this.#server.ruleContext(false),
        async () => {},
      );
    } catch (error) {
      if (!isNotFound(error) && !isConflict(error)) throw error;
    }
  }
}

/** One that does not say until when it is good never was. @param now milliseconds since 1970 */
function isExpired({ spec }: ApiObject, now: number): boolean {
  const { renewTime, leaseDurationSeconds } = spec ?? {};
  return renewTime === undefined || leaseDurationSeconds === undefined || Date.parse(renewTime) + 1_000 * leaseDurationSeconds < now;
}

const microTime = (now: number): string => formatMicroTime({ seconds: Math.floor(now / 1_000), nanos: (now % 1_000) * 1_000_000 });

/** Makes the name of a server on a machine, which is the same after a restart, and differs for different kinds of servers. */
export function identityName({ text }: Identity, host: string): string {
  const hash = createHash('sha256');
  for (const part of [host, text('${serverName}')]) {
    const bytes = Buffer.from(part);
    const length = Buffer.alloc(2);
    length.writeUInt16BE(bytes.length);
    hash.update(length).update(bytes);
  }
  return `apiserver-${base32(hash.digest().subarray(0, 16))}`;
}

/** Encodes bytes by RFC 4648, section 6, in lower case and without padding. */
function base32(bytes: Buffer): string {
  const bits = Array.from(bytes, (byte) => byte.toString(2).padStart(8, '0')).join('');
  return (bits.match(/.{1,5}/g) ?? []).map((five) => 'abcdefghijklmnopqrstuvwxyz234567'[Number.parseInt(five.padEnd(5, '0'), 2)]).join('');
}
