/**
 * Elects the holders of leases that have candidates (KEP-4355). One of the servers of a cluster does it. Which candidates a lease has is kept by their keys
 * alone: what they and the lease say is read when the lease has its turn, so that leases without candidates, as nodes have them, cost a look into a map.
 */
import type { LeaseSpec } from '../../../generated/coordination/v1/types.ts';
import type { LeaseCandidateSpec } from '../../../generated/coordination/v1alpha2/types.ts';
import { DATED_CLOCK, type DatedClock } from '../../client/work-queue/clock.ts';
import type { ApiObject } from '../../contract/object.ts';
import { turn } from '../../event-loop/turns.ts';
import { RecurringFailures } from '../../observability/recurring-failures.ts';
import type { Resource } from '../../registry/resources/resource.ts';
import { type NamedObject, storagePrefix } from '../../registry/resources/resource-keys.ts';
import { StoredObject } from '../../registry/stored-objects/stored-object.ts';
import { isAlreadyExists, isConflict, isNotFound, newConflict, OBJECT_MODIFIED } from '../../status/status.ts';
import type { Change } from '../../storage/storage.ts';
import type { Controller } from '../controller/controller.ts';
import type { ControllerServer } from '../controller/controller-server.ts';
import { entrySlices } from '../controller/entry-slices.ts';
import { WorkQueue } from '../controller/work-queue.ts';
import type { ControllerWriter } from '../writes/controller-writer.ts';
import { serverWriter } from '../writes/server-writer.ts';
import { type Candidate, type ElectionStep, electionStep, isAsked, isCandidateOver, microTime, NEXT_LOOK } from './election-rules.ts';

/** The name that the queue has in metrics of 1.32. */
const NAME = 'leader-election-controller';
/** The number of candidates that are examined in one turn. */
const SLICE = 64;
/** The most milliseconds for which changes of a lease and its candidates are gathered, if examining all candidates takes long. */
const LONGEST_GATHERING = 1_000;

/** Finds the resources of the controller. @returns undefined if one of them is not served */
export function electionResources({ registry, identity }: ControllerServer): Record<'leases' | 'candidates', Resource> | undefined {
  const group = identity.text('coordination.${groupDomain}');
  const leases = registry.current.resource(group, 'v1', 'leases');
  const candidates = registry.current.resource(group, 'v1alpha2', 'leasecandidates');
  return leases && candidates && { leases, candidates };
}

type CandidateObject = ApiObject & { readonly spec?: LeaseCandidateSpec };
type LeaseObject = ApiObject & { readonly spec?: LeaseSpec };

interface StoredCandidate extends Candidate {
  readonly resourceVersion: string;
}

/** The key of an object without the prefix of its resource, which is its namespace and its name. */
type Place = string;

export class LeaseElections implements Controller {
  readonly #server: ControllerServer;
  readonly #leases: Resource;
  readonly #candidates: Resource;
  readonly #clock: DatedClock;
  readonly #writer: ControllerWriter;
  readonly #queue: WorkQueue;
  readonly #problems = new RecurringFailures();
  readonly #candidatesOf = new Map<Place, Set<Place>>();
  readonly #leaseOf = new Map<Place, Place>();

  constructor(
    server: ControllerServer,
    { leases, candidates }: Record<'leases' | 'candidates', Resource>,
    clock: DatedClock = DATED_CLOCK,
  ) {
    this.#server = server;
    this.#leases = leases;
    this.#candidates = candidates;
    this.#clock = clock;
    this.#writer = serverWriter(server);
    this.#queue = new WorkQueue({
      name: NAME,
      metrics: server.metrics,
      workers: 1,
      clock,
      process: (lease) => this.#step(lease),
      failed: (lease, error) => {
        // somebody else was faster
        if (!isConflict(error) && !isAlreadyExists(error))
          server.log.error({ err: error, lease }, 'the holder of a lease could not be elected; it is tried again');
      },
    });
  }

  async list(revision: number): Promise<void> {
    const before = [...this.#candidatesOf.keys()];
    this.#candidatesOf.clear();
    this.#leaseOf.clear();
    const prefix = storagePrefix(this.#candidates, '');
    for await (const slice of entrySlices(this.#server.storage, prefix, { size: SLICE, atRevision: revision }))
      for (const { key, value } of slice) this.#take(key.slice(prefix.length), new StoredObject(value).parse());
    for (const lease of before) if (!this.#candidatesOf.has(lease)) this.#problems.succeeded(lease);
    for (const lease of this.#candidatesOf.keys()) this.#queue.add(lease);
  }

  changed({ key, operation, value }: Change): void {
    const lease = behind(storagePrefix(this.#leases, ''), key);
    if (lease !== undefined && this.#candidatesOf.has(lease)) this.#toLook(lease);
    const place = behind(storagePrefix(this.#candidates, ''), key);
    if (place === undefined) return;
    const wanted = this.#leaseOf.get(place);
    this.#forget(place);
    const object: CandidateObject = new StoredObject(value).parse();
    if (operation !== 'delete') this.#take(place, object);
    else if (wanted !== undefined) this.#toLook(wanted);
    // being asked is the work of an election that goes on
    if (operation !== 'delete' && object.spec !== undefined && !isAsked(object.spec)) this.#toLook(leaseOf(place, object.spec));
  }

  /** A look at many candidates takes about a hundredth of the time for which it waits: they may all change one after the other. */
  #toLook(lease: Place): void {
    const count = this.#candidatesOf.get(lease)?.size ?? 0;
    if (count > SLICE) this.#queue.addAfter(lease, Math.min(count, LONGEST_GATHERING));
    else this.#queue.add(lease);
  }

  /** Resolves when all that has changed so far was looked at. */
  settled(): Promise<void> {
    return this.#queue.idle();
  }

  async stop(): Promise<void> {
    await this.#queue.stop();
    this.#writer.stop();
  }

  #take(place: Place, { spec }: CandidateObject): void {
    if (spec === undefined) return;
    const lease = leaseOf(place, spec);
    this.#leaseOf.set(place, lease);
    const candidates = this.#candidatesOf.get(lease);
    if (candidates === undefined) this.#candidatesOf.set(lease, new Set([place]));
    else candidates.add(place);
  }

  #forget(place: Place): void {
    const lease = this.#leaseOf.get(place);
    if (lease === undefined) return;
    this.#leaseOf.delete(place);
    const candidates = this.#candidatesOf.get(lease);
    candidates?.delete(place);
    if (candidates?.size !== 0) return;
    this.#candidatesOf.delete(lease);
    this.#problems.succeeded(lease);
  }

  async #step(place: Place): Promise<void> {
    const candidates = await this.#candidatesFor(place);
    if (candidates.length === 0) return;
    const lease = this.#server.storage.look(
      `${storagePrefix(this.#leases, '')}${place}`,
      ({ value }) => new StoredObject(value).parse() as LeaseObject,
    );
    const step = electionStep(lease && (lease.spec ?? {}), candidates, this.#clock.date());
    this.#tell(place, step);
    for (const each of step.asked) await this.#ask(place, each);
    if (step.lease !== undefined) await this.#write(place, lease, step.lease);
    if (step.again) this.#queue.addAfter(place, NEXT_LOOK);
  }

  async #candidatesFor(lease: Place): Promise<StoredCandidate[]> {
    const found: StoredCandidate[] = [];
    let looked = 0;
    for (const place of [...(this.#candidatesOf.get(lease) ?? [])].sort()) {
      if (++looked % SLICE === 0) await turn();
      const object = this.#server.storage.look(
        `${storagePrefix(this.#candidates, '')}${place}`,
        ({ value }) => new StoredObject(value).parse() as CandidateObject,
      );
      if (object?.spec === undefined || leaseOf(place, object.spec) !== lease) continue;
      const { name = '', creationTimestamp, resourceVersion = '' } = object.metadata;
      if (!isCandidateOver(object.spec, this.#clock.date()))
        found.push({ name, created: creationTimestamp ?? '', spec: object.spec, resourceVersion });
    }
    return found;
  }

  #tell(lease: Place, { problem, lease: spec }: ElectionStep<Candidate>): void {
    if (problem === undefined) this.#problems.succeeded(lease);
    else if (this.#problems.isNew(lease, problem)) this.#server.log.warn({ lease, problem }, 'nobody can be elected for a lease');
    if (spec !== undefined)
      this.#server.log.info({ lease, holder: spec.holderIdentity, preferred: spec.preferredHolder }, 'the holder of a lease was elected');
  }

  /** One that has said something meanwhile, or is gone, is not asked. */
  async #ask(lease: Place, { name, resourceVersion }: StoredCandidate): Promise<void> {
    const object = { resource: this.#candidates, namespace: namespaceOf(lease), name };
    const pingTime = microTime(this.#clock.date());
    try {
      await this.#update(object, resourceVersion, (spec) => ({ ...spec, pingTime }));
    } catch (error) {
      if (!isConflict(error) && !isNotFound(error)) throw error;
    }
  }

  async #write(place: Place, lease: LeaseObject | undefined, spec: LeaseSpec): Promise<void> {
    const object = { resource: this.#leases, namespace: namespaceOf(place), name: place.slice(place.indexOf('/') + 1) };
    if (lease !== undefined) return this.#update(object, lease.metadata.resourceVersion ?? '', () => ({ ...spec }));
    const { group, version } = this.#leases.groupVersion;
    const { namespace, name } = object;
    await this.#writer.create(this.#leases, {
      apiVersion: `${group}/${version}`,
      kind: this.#leases.data.kind,
      metadata: { namespace, name },
      spec: { ...spec },
    });
  }

  /** @throws StatusError Conflict where it is no longer the version that was read */
  async #update(object: NamedObject, resourceVersion: string, edit: (spec: ApiObject['spec']) => ApiObject['spec']): Promise<void> {
    await this.#writer.update(object, 'object', (old) => {
      if (old.metadata.resourceVersion !== resourceVersion) throw newConflict(object.resource.groupResource, object.name, OBJECT_MODIFIED);
      return { ...old, spec: edit(old.spec) };
    });
  }
}

const behind = (prefix: string, key: string): Place | undefined => (key.startsWith(prefix) ? key.slice(prefix.length) : undefined);

const namespaceOf = (place: Place): string => place.slice(0, place.indexOf('/'));

const leaseOf = (candidate: Place, { leaseName }: LeaseCandidateSpec): Place => `${namespaceOf(candidate)}/${leaseName}`;
