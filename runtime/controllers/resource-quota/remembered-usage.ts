/**
 * What objects of a quota use, by their versions, so that a look at tens of thousands of them reads only those that were written since the last look. A version
 * never changes, and what it uses changes at one known time at most. So it does not matter here which versions are the latest, or when somebody looked last.
 */
import type { Amounts } from '../../schema/scalar/amounts.ts';

/** What a version of an object uses. Versions that use the same share it. */
export interface Usage {
  /** says all of the others */
  readonly text: string;
  readonly amounts: Amounts;
  /** see `Evaluator.changesAt` */
  readonly changesAt: number | undefined;
  /** whether the amounts are those after `changesAt` */
  readonly isAfter: boolean;
}

/** Numbers that may be remembered of all quotas together: each takes some 40 bytes for a version, some 150 for an amount. */
const LIMIT = 500_000;

/** How many numbers are remembered. */
export class RememberedNumbers {
  readonly #limit: number;
  #count = 0;

  constructor(limit = LIMIT) {
    this.#limit = limit;
  }

  get count(): number {
    return this.#count;
  }

  add(count: number): void {
    this.#count += count;
  }

  hasRoomFor(count: number): boolean {
    return this.#count + count <= this.#limit;
  }
}

/** What was found by one look at the objects of one resource. */
interface Found {
  readonly versions: Map<number, Usage>;
  /** the different ones, by their texts */
  readonly usages: Map<string, Usage>;
  /** numbers in both */
  count: number;
}

const newFound = (): Found => ({ versions: new Map(), usages: new Map(), count: 0 });

/** What is remembered for one quota. */
export class RememberedUsage {
  readonly #numbers: RememberedNumbers;
  /** by the prefixes of the resources */
  readonly #found = new Map<string, Found>();
  /** a text of what the quota requires of objects */
  #requirements = '';
  #isForgotten = false;

  constructor(numbers: RememberedNumbers) {
    this.#numbers = numbers;
  }

  /** Drops what other resources use than these, and all of it where other objects count. */
  keepOnly(prefixes: ReadonlyMap<string, unknown>, requirements: readonly object[]): void {
    const text = JSON.stringify(requirements);
    for (const prefix of this.#found.keys()) if (text !== this.#requirements || !prefixes.has(prefix)) this.#drop(prefix);
    this.#requirements = text;
  }

  /** Begins a look at the objects of a resource. */
  look(prefix: string): UsageLook {
    const requirements = this.#requirements;
    return new UsageLook(this.#found.get(prefix) ?? newFound(), this.#numbers, (found) => {
      // the quota may have gone meanwhile, or count other objects
      if (this.#isForgotten || requirements !== this.#requirements) return;
      this.#drop(prefix);
      this.#found.set(prefix, found);
      this.#numbers.add(found.count);
    });
  }

  /** Drops everything for good. */
  forget(): void {
    this.#isForgotten = true;
    for (const prefix of this.#found.keys()) this.#drop(prefix);
  }

  #drop(prefix: string): void {
    this.#numbers.add(-(this.#found.get(prefix)?.count ?? 0));
    this.#found.delete(prefix);
  }
}

/** One look at all objects of a resource. What it does not come across is forgotten at its end. */
export class UsageLook {
  readonly #before: Found;
  readonly #now = newFound();
  readonly #numbers: RememberedNumbers;
  readonly #keep: (found: Found) => void;
  /** numbers that were not remembered before */
  #more = 0;

  constructor(before: Found, numbers: RememberedNumbers, keep: (found: Found) => void) {
    this.#before = before;
    this.#numbers = numbers;
    this.#keep = keep;
  }

  /**
   * @param version as `versionId` has it
   * @param now milliseconds since 1970
   * @returns undefined where the object has to be read
   */
  known(version: number, now: number): Usage | undefined {
    const usage = this.#before.versions.get(version);
    if (usage === undefined || isAfter(usage.changesAt, now) !== usage.isAfter) return undefined;
    this.#note(version, usage);
    return usage;
  }

  /** Notes what an object uses that was read. @param now milliseconds since 1970 */
  note(version: number, amounts: Amounts, changesAt: number | undefined, now: number): Usage {
    const usage = usageOf(amounts, changesAt, now);
    const same = this.#now.usages.get(usage.text) ?? this.#before.usages.get(usage.text);
    const more = 1 + (same === undefined ? amounts.size : 0);
    if (this.#numbers.hasRoomFor(this.#more + more)) {
      this.#more += more;
      this.#note(version, same ?? usage);
    }
    return same ?? usage;
  }

  #note(version: number, usage: Usage): void {
    const { versions, usages } = this.#now;
    versions.set(version, usage);
    this.#now.count++;
    if (usages.has(usage.text)) return;
    usages.set(usage.text, usage);
    this.#now.count += usage.amounts.size;
  }

  /** Remembers what was found: to be called once all objects were looked at. */
  end(): void {
    this.#keep(this.#now);
  }
}

const isAfter = (changesAt: number | undefined, now: number): boolean => changesAt !== undefined && !(changesAt >= now);

function usageOf(amounts: Amounts, changesAt: number | undefined, now: number): Usage {
  const later = isAfter(changesAt, now);
  let text = `${changesAt} ${later}`;
  for (const [name, { unscaled, exponent, format }] of amounts) text += ` ${name} ${unscaled} ${exponent} ${format}`;
  return { text, amounts, changesAt, isAfter: later };
}
