/**
 * Keeps the statuses of quotas true. What is written is counted by admission before it is stored; this counts what there is, and so finds what was counted and
 * not stored, what has gone, and what a new quota is to begin with.
 *
 * Objects that admission has counted may be on their way to the store while others are counted. So that none is missed, the guard of the namespace is changed
 * first: what was counted before that is stored before that, or never (`runtime/admission/resource-quota/charges.ts`). Objects and quota are read as
 * they are at that moment, and the quota is changed by the difference, whatever is taken of it meanwhile.
 */

import { Evaluators } from '../../admission/resource-quota/evaluators/evaluators.ts';
import { GUARDS, guardKey } from '../../admission/resource-quota/quota-statuses.ts';
import { requirementsOf } from '../../admission/resource-quota/scopes.ts';
import { DATED_CLOCK, type DatedClock } from '../../client/work-queue/clock.ts';
import type { ApiObject } from '../../contract/object.ts';
import { ObjectWriteQueue } from '../../registry/resource-store/object-write-queue.ts';
import type { Resource } from '../../registry/resources/resource.ts';
import { storagePrefix } from '../../registry/resources/resource-keys.ts';
import { READ_AT_ONCE, readParts } from '../../registry/stored-objects/sliced-reading.ts';
import { StoredObject } from '../../registry/stored-objects/stored-object.ts';
import { isConflict, isNotFound } from '../../status/status.ts';
import { Conflict, KeyExists, KeyNotFound } from '../../storage/errors.ts';
import { type Change, type Guard, keptValue, resourcePrefix } from '../../storage/storage.ts';
import type { Controller } from '../controller/controller.ts';
import type { ControllerServer } from '../controller/controller-server.ts';
import { entrySlices } from '../controller/entry-slices.ts';
import { WorkQueue } from '../controller/work-queue.ts';
import { ControllerWriter } from '../writes/controller-writer.ts';
import { correctedStatus, isSettled } from './quota-correction.ts';
import { writeStatus } from './quota-writer.ts';
import { RememberedNumbers, RememberedUsage } from './remembered-usage.ts';
import { type Requirements, type TrackedResources, trackedResources } from './tracked-resources.ts';
import { UsageChange } from './usage-change.ts';
import { type Counted, countUsage } from './usage-count.ts';

/** Quotas that are looked at at a time; those of one namespace are corrected one after the other. */
const WORKERS = 2;
/** Quotas read in one turn while listing. */
const SLICE = 64;
/** Milliseconds from a change to the look at what it may have changed: those that come together are one look's work. */
const SOON = 10;
/** Milliseconds from a correction to the next look at the same quota: each correction sends away what is on its way to the store. */
const PAUSE = 250;
/**
 * Milliseconds after a quota was written within which objects may be on their way that it has counted: it is not corrected while it is written again and
 * again, but for so long at most.
 */
const CALM = 50;
const LONGEST_UNREST = 500;
/** A look that took so long is followed by the next one so many times as long after it, but for this many milliseconds at most. */
const REST = 10;
const LONGEST_REST = 2_000;
/** Milliseconds after which every quota is looked at where no flag says it, as in 1.32. */
const RESYNC = 300_000;
/** Milliseconds that a quota waits for others of its namespace; what goes on meanwhile is counted anew. */
const LONGEST_TURN = 600_000;
/** How often a guard is changed again that another process has changed meanwhile. */
const ATTEMPTS = 20;

/** A quota that there is. */
interface Followed {
  readonly namespace: string;
  readonly name: string;
  /** how many things it limits */
  readonly limits: number;
  readonly requirements: Requirements;
  readonly remembered: RememberedUsage;
  tracked: TrackedResources;
  /** milliseconds of the clock, which are no date */
  notBefore: number;
  /** when it was written last, as far as is known */
  writtenAt: number;
  /** since when it does not say what there is; undefined: it did when somebody looked */
  wrongSince: number | undefined;
}

export class ResourceQuotaController implements Controller {
  readonly #server: ControllerServer;
  readonly #resource: Resource;
  /** the prefix of the keys of quotas */
  readonly #prefix: string;
  readonly #clock: DatedClock;
  readonly #resyncAfter: number;
  readonly #evaluators: Evaluators;
  readonly #writer: ControllerWriter;
  readonly #queue: WorkQueue;
  /** the turns of quotas of the same namespace */
  readonly #turns = new ObjectWriteQueue(LONGEST_TURN);
  /** the quotas by namespaces, and by their keys */
  readonly #quotas = new Map<string, Map<string, Followed>>();
  readonly #remembered = new RememberedNumbers();
  readonly #deaf: () => void;
  #callOff: (() => void) | undefined;

  /** @param resyncAfter milliseconds */
  constructor(server: ControllerServer, resource: Resource, resyncAfter = RESYNC, clock: DatedClock = DATED_CLOCK) {
    const { identity, featureEnabled, registry, log } = server;
    this.#server = server;
    this.#resource = resource;
    this.#prefix = storagePrefix(resource, '');
    this.#clock = clock;
    this.#resyncAfter = resyncAfter;
    this.#evaluators = new Evaluators({ text: identity.text, featureEnabled });
    this.#writer = new ControllerWriter(server);
    this.#queue = new WorkQueue({
      name: 'resourcequota_primary',
      metrics: server.metrics,
      workers: WORKERS,
      clock,
      process: (key) => this.#sync(key),
      failed: (key, error) => {
        if (!isConflict(error)) log.warn({ key, err: error }, 'the usage of a quota could not be counted');
      },
    });
    this.#deaf = registry.onSwap(() => this.#trackAnew());
  }

  async list(revision: number): Promise<void> {
    const { storage } = this.#server;
    for (const quotas of this.#quotas.values()) for (const { remembered } of quotas.values()) remembered.forget();
    this.#quotas.clear();
    for await (const slice of entrySlices(storage, this.#prefix, { size: SLICE, atRevision: revision })) {
      const found = Array.from(slice, ({ key, value }) => ({ key, reading: this.#read(value) }));
      for (const { key, reading } of found) await this.#follow(key, await reading);
    }
    // what somebody had begun to tidy up
    for await (const slice of entrySlices(storage, GUARDS, { size: SLICE, atRevision: revision }))
      for (const { key } of slice)
        if (!this.#quotas.has(key.slice(GUARDS.length))) this.#queue.add(`${this.#prefix}${key.slice(GUARDS.length)}/`);
    for (const quotas of this.#quotas.values()) for (const key of quotas.keys()) this.#queue.add(key);
    this.#callOff ??= this.#clock.after(this.#resyncAfter, () => this.#resync());
  }

  #resync(): void {
    for (const quotas of this.#quotas.values()) for (const key of quotas.keys()) this.#queue.add(key);
    this.#callOff = this.#clock.after(this.#resyncAfter, () => this.#resync());
  }

  changed(change: Change): void | Promise<void> {
    const isQuota = change.key.startsWith(this.#prefix);
    if (this.#quotas.size === 0 && !isQuota) return undefined;
    this.#lookAfter(change);
    return isQuota ? this.#quotaChanged(change) : undefined;
  }

  async stop(): Promise<void> {
    this.#deaf();
    this.#callOff?.();
    this.#writer.stop();
    await this.#queue.stop();
  }

  #quotaChanged({ key, operation, value }: Change): void | Promise<void> {
    if (operation === 'delete') {
      this.#forget(key);
      return this.#queue.add(key);
    }
    const reading = this.#read(value);
    const following = reading instanceof Promise ? reading.then((object) => this.#follow(key, object)) : this.#follow(key, reading);
    return following === undefined ? this.#queue.addAfter(key, SOON) : following.then(() => this.#queue.addAfter(key, SOON));
  }

  #read(value: Buffer): ApiObject | Promise<ApiObject> {
    return readParts(new StoredObject(value.length > READ_AT_ONCE ? keptValue(value) : value), ['spec', 'status']);
  }

  /** @returns a promise where it limits much */
  #follow(key: string, { spec }: ApiObject): void | Promise<void> {
    const names = Object.keys(spec?.hard ?? {});
    const finding = this.#tracked(names);
    const set = (tracked: TrackedResources): void => this.#set(key, names.length, requirementsOf(spec), tracked);
    return finding instanceof Promise ? finding.then(set) : set(finding);
  }

  #tracked(names: readonly string[]): TrackedResources | Promise<TrackedResources> {
    return trackedResources(names, this.#evaluators, this.#server.registry.current);
  }

  #set(key: string, limits: number, requirements: Followed['requirements'], tracked: TrackedResources): void {
    const [namespace = '', name = ''] = key.slice(this.#prefix.length).split('/');
    let quotas = this.#quotas.get(namespace);
    if (quotas === undefined) {
      quotas = new Map();
      this.#quotas.set(namespace, quotas);
    }
    const known: Partial<Followed> = quotas.get(key) ?? {};
    const { notBefore = 0, wrongSince, remembered = new RememberedUsage(this.#remembered) } = known;
    const writtenAt = this.#clock.now();
    quotas.set(key, { namespace, name, limits, requirements, remembered, tracked, notBefore, wrongSince, writtenAt });
  }

  #forget(key: string): void {
    const namespace = this.#namespaceOf(key);
    const quotas = this.#quotas.get(namespace);
    quotas?.get(key)?.remembered.forget();
    if (quotas?.delete(key) === true && quotas.size === 0) this.#quotas.delete(namespace);
  }

  #namespaceOf(key: string): string {
    return key.slice(this.#prefix.length, key.indexOf('/', this.#prefix.length));
  }

  /** Other resources are served now: a quota may count what it could not count before, and not count any longer what it could. */
  #trackAnew(): void {
    for (const quotas of this.#quotas.values()) for (const [key, quota] of quotas) if (dependsOnDefinitions(quota)) this.#queue.add(key);
  }

  /** Has the quotas looked at that a change of an object may concern. */
  #lookAfter(change: Change): void {
    const prefix = resourcePrefix(change.key);
    const quotas = this.#quotas.get(change.key.slice(prefix.length + 1, change.key.indexOf('/', prefix.length + 1)));
    if (quotas === undefined) return;
    const seen = new UsageChange(change, this.#clock.date());
    for (const [key, { tracked, requirements }] of quotas) {
      const resource = tracked.get(prefix);
      if (resource !== undefined && seen.concerns(resource, requirements)) this.#queue.addAfter(key, SOON);
    }
  }

  async #sync(key: string): Promise<void> {
    const quota = this.#quotas.get(this.#namespaceOf(key))?.get(key);
    if (quota === undefined) return this.#removeGuard(this.#namespaceOf(key));
    const wait = quota.notBefore - this.#clock.now();
    if (wait > 0) return this.#queue.addAfter(key, wait);
    const began = performance.now();
    const isCorrect = await this.#correct(key, quota);
    const rest = Math.max(Math.min(REST * (performance.now() - began), LONGEST_REST), isCorrect ? 0 : PAUSE);
    // another one may stand in its place
    const latest = this.#quotas.get(quota.namespace)?.get(key);
    if (latest !== undefined) latest.notBefore = this.#clock.now() + rest;
  }

  /** @returns whether nothing had to be written. @throws StatusError, RevisionCompacted */
  async #correct(key: string, quota: Followed): Promise<boolean> {
    const found = await this.#count(key, quota, this.#server.storage.currentRevision());
    if (found === undefined) return true;
    this.#lookAgain(key, found.counted);
    const isWrong = !(await isSettled(found.object, found.counted.used));
    if (this.#waits(key, isWrong, found.object) || !isWrong) return true;
    // one after the other: each changes the guard that the others count on
    return this.#turns.take(quota.namespace, () => this.#correctNow(key, quota));
  }

  async #correctNow(key: string, quota: Followed): Promise<boolean> {
    const guard = await this.#changeGuard(quota.namespace);
    const exact = await this.#count(key, quota, guard.revision as number);
    if (exact === undefined) return true;
    const corrected = (now: ApiObject) => correctedStatus(now, exact.object, exact.counted.used);
    try {
      await writeStatus(
        this.#server,
        this.#writer,
        { resource: this.#resource, namespace: quota.namespace, name: quota.name },
        corrected,
        guard,
      );
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
    return false;
  }

  /** Whether what a quota has counted may still be on its way to the store: another look is made then. */
  #waits(key: string, isWrong: boolean, { status }: ApiObject): boolean {
    const quota = this.#quotas.get(this.#namespaceOf(key))?.get(key);
    if (quota === undefined) return false;
    const now = this.#clock.now();
    quota.wrongSince = isWrong ? (quota.wrongSince ?? now) : undefined;
    // nobody takes of what says nothing
    const waits = isWrong && status?.used !== undefined && now - quota.writtenAt < CALM && now - (quota.wrongSince ?? now) < LONGEST_UNREST;
    if (waits) this.#queue.addAfter(key, CALM);
    return waits;
  }

  async #count(key: string, quota: Followed, atRevision: number): Promise<{ object: ApiObject; counted: Counted } | undefined> {
    const { storage } = this.#server;
    const entry = storage.get(key, atRevision);
    if (entry === undefined) return undefined;
    const object = await this.#read(entry.value);
    const tracked = await this.#tracked(Object.keys(object.spec?.hard ?? {}));
    quota.tracked = tracked;
    const counted = await countUsage({
      storage,
      namespace: quota.namespace,
      atRevision,
      tracked,
      requirements: requirementsOf(object.spec),
      now: this.#clock.date(),
      remembered: quota.remembered,
    });
    return { object, counted };
  }

  #lookAgain(key: string, { changesAt }: Counted): void {
    // it is over a millisecond after that at the earliest
    if (changesAt !== undefined) this.#queue.addAfter(key, Math.max(changesAt - this.#clock.date(), 0) + 1);
  }

  /** @returns what it is now. @throws Conflict, KeyExists, KeyNotFound where others do nothing but change it, StorageFull, StorageUnwritable */
  async #changeGuard(namespace: string): Promise<Guard> {
    const { storage } = this.#server;
    const key = guardKey(namespace);
    const value = { bytes: Buffer.from('{}'), revisionOffset: -1 };
    for (let attempt = 1; ; attempt++) {
      const revision = storage.revisionOf(key);
      try {
        return { key, revision: await (revision === undefined ? storage.create(key, value) : storage.update(key, revision, value)) };
      } catch (error) {
        if (!isOthersWrite(error) || attempt >= ATTEMPTS) throw error;
      }
    }
  }

  /** Removes the guard of a namespace that no longer has quotas. */
  async #removeGuard(namespace: string): Promise<void> {
    const { storage } = this.#server;
    const entry = this.#quotas.has(namespace) ? undefined : storage.get(guardKey(namespace));
    if (entry === undefined) return;
    try {
      await storage.delete(entry.key, entry.revision, { bytes: entry.value, revisionOffset: -1 });
    } catch (error) {
      if (!isOthersWrite(error)) throw error;
    }
  }
}

/** It limits what is not served, or what is served because of a definition. */
function dependsOnDefinitions({ limits, tracked }: Followed): boolean {
  let known = 0;
  for (const { resource, names } of tracked.values()) {
    if (resource.data.isDefined === true) return true;
    known += names.length;
  }
  return known < limits;
}

const isOthersWrite = (error: unknown): boolean => error instanceof Conflict || error instanceof KeyExists || error instanceof KeyNotFound;

/** @param resync milliseconds. @returns undefined where quotas are not served */
export function resourceQuotaController(
  server: ControllerServer,
  resync?: number,
  clock?: DatedClock,
): ResourceQuotaController | undefined {
  const resource = server.registry.current.resource('', 'v1', 'resourcequotas');
  return resource && new ResourceQuotaController(server, resource, resync, clock);
}
