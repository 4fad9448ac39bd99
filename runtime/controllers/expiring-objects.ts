/**
 * Removes objects of resources that expire, some time after their last write and whatever holds them, as a lease of 1.32's store does.
 *
 * Revisions grow with time: a few pairs of a time and the revision that the store had then say which objects are old enough, and nothing is kept
 * for each of them.
 */

import { DATED_CLOCK, type DatedClock } from '../client/work-queue/clock.ts';
import type { Resource } from '../registry/resources/resource.ts';
import { storagePrefix } from '../registry/resources/resource-keys.ts';
import { splitKey } from '../registry/selection/selection.ts';
import { StoredObject } from '../registry/stored-objects/stored-object.ts';
import { parseNativeJson } from '../schema/json/native-json.ts';
import { ValueDamaged } from '../storage/errors.ts';
import type { Entry } from '../storage/storage.ts';
import type { Controller } from './controller/controller.ts';
import type { ControllerServer } from './controller/controller-server.ts';
import { entrySlices } from './controller/entry-slices.ts';

/** Tells that everything which was written up to a time has at most a certain revision. */
interface Mark {
  /** the time by the clock; it is no date, so that objects are not removed early if the machine's date is set forward */
  readonly time: number;
  readonly revision: number;
}

/** Milliseconds between two looks: how much later than they should objects go at most. Shorter where they live shortly. */
const LONGEST_INTERVAL = 60_000;
const SHORTEST_INTERVAL = 100;
const INTERVALS_IN_LIFE = 10;
/** The number of objects that are examined in one turn, and removed together. */
const SLICE = 64;

/** Makes the controller. @returns undefined if nothing expires */
export function expiringObjects(server: ControllerServer, clock: DatedClock = DATED_CLOCK): Controller | undefined {
  const { expireAfter } = server.deletion;
  // no definition says that its objects expire
  const expiring = server.registry.current.storedResources().filter(({ data }) => data.expires === true);
  return expireAfter === 0 || expiring.length === 0 ? undefined : new ExpiringObjects(server, expiring, expireAfter, clock);
}

class ExpiringObjects implements Controller {
  readonly #server: ControllerServer;
  readonly #resources: readonly Resource[];
  readonly #life: number;
  readonly #clock: DatedClock;
  /** ascending in both */
  #marks: Mark[] | undefined;
  #cancelLook = () => {};
  #sweeping: Promise<void> = Promise.resolve();
  #stopped = false;

  /** @param life milliseconds, more than 0 */
  constructor(server: ControllerServer, resources: readonly Resource[], life: number, clock: DatedClock) {
    this.#server = server;
    this.#resources = resources;
    this.#life = life;
    this.#clock = clock;
  }

  /** Marks that are there stay right, whatever becomes of the history. */
  async list(revision: number): Promise<void> {
    if (this.#marks !== undefined) return;
    const now = this.#clock.now();
    this.#marks = [...(await this.#pastMarks(revision, now)), { time: now, revision }];
    if (!this.#stopped) this.#waitToLook();
  }

  changed(): void {}

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#cancelLook();
    await this.#sweeping;
  }

  /** What was written before the start, by what the objects say themselves: one mark for each interval. */
  async #pastMarks(revision: number, now: number): Promise<Mark[]> {
    const begin = this.#clock.date() - now;
    const written: Mark[] = [];
    for (const resource of this.#resources)
      for await (const slice of this.#slices(resource, revision))
        for (const entry of slice) written.push({ revision: entry.revision, time: Math.min(now, this.#lastWrite(entry) + 999 - begin) });
    written.sort((one, other) => one.revision - other.revision);
    const marks: Mark[] = [];
    let time = Number.NEGATIVE_INFINITY;
    let began = Number.NEGATIVE_INFINITY;
    for (const each of written) {
      time = Math.max(time, each.time);
      if (time - began < LONGEST_INTERVAL) marks.pop();
      else began = time;
      marks.push({ revision: each.revision, time });
    }
    return marks;
  }

  /** What cannot be read may have been written just now. */
  #lastWrite(entry: Entry): number {
    try {
      return lastWrite(new StoredObject(entry.value));
    } catch (error) {
      if (!(error instanceof ValueDamaged)) throw error;
      this.#server.log.warn({ err: error }, 'it is not known how old an object is that expires: it is taken to be new');
      return Number.POSITIVE_INFINITY;
    }
  }

  /** No more of them once this is to stop. */
  async *#slices(resource: Resource, atRevision?: number): AsyncGenerator<Iterable<Entry>> {
    const options = { size: SLICE, ...(atRevision !== undefined && { atRevision }) };
    for await (const slice of entrySlices(this.#server.storage, storagePrefix(resource, ''), options)) {
      if (this.#stopped) return;
      yield slice;
    }
  }

  #waitToLook(): void {
    const interval = Math.max(SHORTEST_INTERVAL, Math.min(LONGEST_INTERVAL, this.#life / INTERVALS_IN_LIFE));
    this.#cancelLook = this.#clock.after(interval, () => {
      this.#waitToLook();
      this.#look();
    });
  }

  #look(): void {
    const marks = this.#marks ?? [];
    const now = this.#clock.now();
    const over = marks.findLastIndex(({ time }) => time <= now - this.#life);
    const expired = marks[over];
    marks.splice(0, over + 1);
    marks.push({ time: now, revision: this.#server.storage.currentRevision() });
    if (expired === undefined) return;
    this.#sweeping = this.#sweeping.then(() => this.#sweep(expired.revision)).catch((error) => this.#failed(error));
  }

  #failed(error: unknown): void {
    this.#server.log.error({ err: error }, 'objects that have expired could not be removed');
  }

  /** Removes what was last written at that revision or before. What fails for one object is tried again at the next look. */
  async #sweep(revision: number): Promise<void> {
    for (const resource of this.#resources)
      for await (const slice of this.#slices(resource)) {
        const expired: string[] = [];
        for (const entry of slice) if (entry.revision <= revision) expired.push(entry.key);
        const removed = await Promise.allSettled(expired.map((key) => this.#remove(resource, key, revision)));
        const failed = removed.find(({ status }) => status === 'rejected');
        if (failed !== undefined) this.#failed((failed as PromiseRejectedResult).reason);
      }
  }

  async #remove(resource: Resource, key: string, revision: number): Promise<void> {
    const { namespace, name } = splitKey(key, storagePrefix(resource, '').slice(0, -1), resource.data.scope === 'Namespaced');
    const store = await this.#server.store(resource);
    await store.deletions.expire(namespace, name, revision, this.#server.ruleContext(false));
  }
}

/** What the metadata says of writes. */
interface WriteTimes {
  readonly creationTimestamp?: string;
  readonly managedFields?: readonly { readonly time?: string }[];
}

/** Milliseconds since 1970, in whole seconds: when the object was made, or somebody changed fields of it. */
function lastWrite(stored: StoredObject): number {
  const { creationTimestamp, managedFields = [] } = parseNativeJson<WriteTimes>(stored.metadata.toString('utf8'));
  const times = [creationTimestamp, ...managedFields.map(({ time }) => time)].map((time = '') => Date.parse(time));
  return Math.max(0, ...times.filter((time) => !Number.isNaN(time)));
}
