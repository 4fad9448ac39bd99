/** How much the objects of a namespace use, as they were at one revision. */

import type { ScopedResourceSelectorRequirement } from '../../../generated/core/v1/types.ts';
import { isInAll } from '../../admission/resource-quota/scopes.ts';
import type { ApiObject } from '../../contract/object.ts';
import { storagePrefix } from '../../registry/resources/resource-keys.ts';
import { READ_AT_ONCE, readParts } from '../../registry/stored-objects/sliced-reading.ts';
import { StoredObject } from '../../registry/stored-objects/stored-object.ts';
import { type Amounts, integer } from '../../schema/scalar/amounts.ts';
import { addQuantities, type Quantity } from '../../schema/scalar/quantity.ts';
import { keptValue, prefixEnd, type Storage } from '../../storage/storage.ts';
import { entrySlices } from '../controller/entry-slices.ts';
import type { TrackedResource } from './tracked-resources.ts';

/** Objects read in one turn. */
const SLICE = 32;

export interface Counted {
  /** the used amounts of every tracked name */
  readonly used: Amounts;
  /** when the amounts will be less without any write, in milliseconds since 1970; undefined if never */
  readonly changesAt: number | undefined;
}

export interface Counting {
  readonly storage: Storage;
  readonly namespace: string;
  readonly atRevision: number;
  readonly tracked: Iterable<TrackedResource>;
  readonly requirements: readonly ScopedResourceSelectorRequirement[];
  /** milliseconds since 1970 */
  readonly now: number;
}

/** Counts what objects use. Other work has its turn every few milliseconds. @throws RevisionCompacted */
export async function countUsage(counting: Counting): Promise<Counted> {
  const used = new Map<string, Quantity>();
  let changesAt: number | undefined;
  for (const tracked of counting.tracked) {
    const counted = await countOf(tracked, counting);
    for (const [name, quantity] of counted.used) used.set(name, quantity);
    changesAt = earlier(changesAt, counted.changesAt);
  }
  return { used, changesAt };
}

async function countOf(tracked: TrackedResource, counting: Counting): Promise<Counted> {
  const { storage, namespace, atRevision, requirements } = counting;
  const { resource, evaluator, names } = tracked;
  const start = storagePrefix(resource, namespace);
  if (requirements.length > 0 && evaluator.isIn === undefined) return { used: ofEach(names, 0), changesAt: undefined };
  if (requirements.length === 0 && names.every((name) => evaluator.plain.has(name)))
    return { used: ofEach(names, storage.count({ start, end: prefixEnd(start), atRevision })), changesAt: undefined };
  const total = new Total(tracked, counting);
  for await (const slice of entrySlices(storage, start, { size: SLICE, atRevision })) {
    const long: Promise<ApiObject>[] = [];
    for (const { value } of slice) {
      const reading = readParts(new StoredObject(value.length > READ_AT_ONCE ? keptValue(value) : value), evaluator.members);
      if (reading instanceof Promise) long.push(reading);
      else total.add(reading);
    }
    for (const object of await Promise.all(long)) total.add(object);
  }
  return total;
}

const ofEach = (names: readonly string[], count: number): Map<string, Quantity> => new Map(names.map((name) => [name, integer(count)]));

class Total implements Counted {
  readonly #tracked: TrackedResource;
  readonly #counting: Counting;
  readonly #used: Map<string, Quantity>;
  #changesAt: number | undefined;

  constructor(tracked: TrackedResource, counting: Counting) {
    this.#tracked = tracked;
    this.#counting = counting;
    this.#used = ofEach(tracked.names, 0);
  }

  get used(): Amounts {
    return this.#used;
  }

  get changesAt(): number | undefined {
    return this.#changesAt;
  }

  add(object: ApiObject): void {
    const { evaluator } = this.#tracked;
    const { requirements, now } = this.#counting;
    if (!isInAll(evaluator, requirements, object)) return;
    const usage = evaluator.usage(object, now);
    for (const [name, quantity] of usage) {
      const before = this.#used.get(name);
      if (before !== undefined) this.#used.set(name, addQuantities(before, quantity));
    }
    const changesAt = evaluator.changesAt?.(object);
    if (changesAt !== undefined && changesAt >= now) this.#changesAt = earlier(this.#changesAt, changesAt);
  }
}

function earlier(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined || b === undefined ? (a ?? b) : Math.min(a, b);
}
