/** How much the objects of a namespace use, as they were at one revision. */

import { isInAll } from '../../admission/resource-quota/scopes.ts';
import type { ApiObject } from '../../contract/object.ts';
import { eachInTurns } from '../../event-loop/turns.ts';
import { storagePrefix } from '../../registry/resources/resource-keys.ts';
import { READ_AT_ONCE, readParts } from '../../registry/stored-objects/sliced-reading.ts';
import { StoredObject } from '../../registry/stored-objects/stored-object.ts';
import { type Amounts, integer, NO_AMOUNTS, times } from '../../schema/scalar/amounts.ts';
import { addQuantities, type Quantity } from '../../schema/scalar/quantity.ts';
import { type Entry, keptValue, prefixEnd, resourcePrefix, type Storage, versionId } from '../../storage/storage.ts';
import { entrySlices } from '../controller/entry-slices.ts';
import type { RememberedUsage, Usage, UsageLook } from './remembered-usage.ts';
import { isPlain, type Requirements, type TrackedResource, type TrackedResources } from './tracked-resources.ts';

/** Objects read in one turn. */
const READ = 32;
/** Objects looked at in one turn. */
const SLICE = 512;

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
  readonly tracked: TrackedResources;
  readonly requirements: Requirements;
  /** milliseconds since 1970 */
  readonly now: number;
  /** what was counted before for the same quota */
  readonly remembered: RememberedUsage;
}

/** Counts what objects use. Other work has its turn every few milliseconds. @throws RevisionCompacted */
export async function countUsage(counting: Counting): Promise<Counted> {
  const used = new Map<string, Quantity>();
  let changesAt: number | undefined;
  counting.remembered.keepOnly(counting.tracked, counting.requirements);
  const all = [...counting.tracked.values()];
  // Numbers of objects are known for the present, and worked out from what was written since for the past: they come first.
  await eachInTurns(
    all.filter((tracked) => isPlain(tracked, counting.requirements)),
    (tracked) => {
      for (const [name, quantity] of numberOf(tracked, counting)) used.set(name, quantity);
    },
  );
  for (const tracked of all) {
    if (isPlain(tracked, counting.requirements)) continue;
    const counted = await countOf(tracked, counting);
    for (const [name, quantity] of counted.used) used.set(name, quantity);
    changesAt = earlier(changesAt, counted.changesAt);
  }
  return { used, changesAt };
}

function numberOf({ resource, names }: TrackedResource, { storage, namespace, atRevision }: Counting): Amounts {
  const start = storagePrefix(resource, namespace);
  return ofEach(names, storage.count({ start, end: prefixEnd(start), atRevision }));
}

async function countOf(tracked: TrackedResource, counting: Counting): Promise<Counted> {
  const { storage, namespace, atRevision, requirements, remembered } = counting;
  const { resource, evaluator, names } = tracked;
  const start = storagePrefix(resource, namespace);
  if (requirements.length > 0 && evaluator.isIn === undefined) return { used: ofEach(names, 0), changesAt: undefined };
  const look = remembered.look(resourcePrefix(start));
  const total = new Total();
  for await (const slice of entrySlices(storage, start, { size: SLICE, atRevision }))
    await total.add(usagesOf(slice, tracked, counting, look));
  look.end();
  return total.counted(names);
}

/** What the objects of a slice use, in their order; those that have to be read in turns are promised. What is left of the slice comes with the next one. */
function usagesOf(slice: Iterable<Entry>, tracked: TrackedResource, counting: Counting, look: UsageLook): (Usage | Promise<Usage>)[] {
  const found: (Usage | Promise<Usage>)[] = [];
  let read = 0;
  for (const entry of slice) {
    const known = look.known(versionId(entry), counting.now);
    found.push(known ?? readUsage(entry, tracked, counting, look));
    if (known === undefined && ++read === READ) break;
  }
  return found;
}

function readUsage(entry: Entry, { evaluator }: TrackedResource, counting: Counting, look: UsageLook): Usage | Promise<Usage> {
  const { requirements, now } = counting;
  const { value } = entry;
  const version = versionId(entry);
  const usage = (object: ApiObject): Usage =>
    isInAll(evaluator, requirements, object)
      ? look.note(version, evaluator.usage(object, now), evaluator.changesAt?.(object), now)
      : look.note(version, NO_AMOUNTS, undefined, now);
  const reading = readParts(new StoredObject(value.length > READ_AT_ONCE ? keptValue(value) : value), evaluator.members);
  return reading instanceof Promise ? reading.then(usage) : usage(reading);
}

const ofEach = (names: readonly string[], count: number): Map<string, Quantity> => new Map(names.map((name) => [name, integer(count)]));

/** How many objects use what. */
class Total {
  /** in the order in which they were found first */
  readonly #counts = new Map<Usage, number>();

  async add(usages: readonly (Usage | Promise<Usage>)[]): Promise<void> {
    for (const usage of await Promise.all(usages)) this.#counts.set(usage, (this.#counts.get(usage) ?? 0) + 1);
  }

  async counted(names: readonly string[]): Promise<Counted> {
    const used = ofEach(names, 0);
    let changesAt: number | undefined;
    await eachInTurns([...this.#counts], ([usage, count]) => {
      for (const [name, quantity] of usage.amounts) {
        const before = used.get(name);
        if (before !== undefined) used.set(name, addQuantities(before, times(quantity, count)));
      }
      if (!usage.isAfter) changesAt = earlier(changesAt, usage.changesAt);
    });
    return { used, changesAt };
  }
}

function earlier(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined || b === undefined ? (a ?? b) : Math.min(a, b);
}
