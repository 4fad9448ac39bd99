/** A comparison as a report shows it: what differs line by line, with a little of what is equal around it. */

import { changedTexts, showsText } from './changed-texts.ts';
import type { ComparedEntry, Comparison } from './comparison.ts';
import { ellipsis, type FormatOptions, formatKey, formatValue, verbosityOf, withType } from './format-value.ts';
import { type GoMap, type GoType, isZero } from './go-type.ts';
import { context, describeGroup, differences, EMPTY_GROUP, type Group, type GroupMember, groupsOf, sum } from './groups.ts';
import { equalNodes, lengthOf, list, type Sign, type TextNode, type TextRecord, wrap } from './text-node.ts';

/** What differs is shown at least this verbosely; what does not differ is shown this tersely. */
const CHANGED_VERBOSITY = 3;
const EQUAL_VERBOSITY = 1;
/** So many equal neighbours of a difference are shown on either side. */
const CONTEXT = 2;
/** How often what is shown of two different values is made longer, until it differs. */
const MAX_RETRIES = 6;

export interface ChangeFormat {
  /** called with what is looked at besides, as a number of places */
  readonly spend: (places: number) => void;
}

export function formatChange(node: Comparison, given: FormatOptions, format: ChangeFormat): TextNode {
  const options = withVerbosity(given);
  if (showsText(node, options)) return changedTexts(node, options, format.spend);
  if (node.depth === 0) return formatLeaf(node, options);
  if (node.target !== undefined) return wrap('&', formatChange(node.target, options, format), '');
  return withType(node.type, new EntriesFormat(node, options, format).run(), options);
}

function withVerbosity(options: FormatOptions): FormatOptions {
  if (options.sign === ' ') return { ...options, verbosity: EQUAL_VERBOSITY };
  return verbosityOf(options) < CHANGED_VERBOSITY ? { ...options, verbosity: CHANGED_VERBOSITY } : options;
}

/** What has nothing below it, or was not entered. */
function formatLeaf({ type, x, y, different }: Comparison, options: FormatOptions): TextNode {
  if (options.sign === '-') return formatValue(type, x, options);
  if (options.sign === '+') return formatValue(type, y, options);
  if (different === 0) {
    const [before, after] = [formatValue(type, x, options), formatValue(type, y, options)];
    return lengthOf(before) < lengthOf(after) ? before : after;
  }
  const sides = distinct(options, (more) => [
    formatValue(type, x, { ...more, types: 'elide' }),
    formatValue(type, y, { ...more, types: 'elide' }),
  ]);
  const records = (['-', '+'] as const).map((sign, i): TextRecord => ({ sign, key: '', value: sides[i] as TextNode }));
  return withType(type, list(records), { ...options, types: 'emit' });
}

type Sides = readonly [before: TextNode, after: TextNode];

/** Both sides of what differs, shown longer where they would look the same. */
function distinct(options: FormatOptions, show: (options: FormatOptions) => Sides): Sides {
  let sides = show(options);
  for (let i = 0; i <= MAX_RETRIES && equalNodes(...sides); i++) sides = show({ ...options, verbosity: verbosityOf(options) + 2 * i });
  return sides;
}

const NOUNS = { struct: 'field', slice: 'element', map: 'entry' } as const;

class EntriesFormat {
  readonly #entries: readonly ComparedEntry[];
  readonly #kind: keyof typeof NOUNS;
  readonly #type: GoType;
  readonly #options: FormatOptions;
  readonly #format: ChangeFormat;
  /** differences, or members of one side, that are shown */
  readonly #shown: number;
  readonly #records: TextRecord[] = [];

  constructor({ type, entries }: Comparison, options: FormatOptions, format: ChangeFormat) {
    const verbosity = verbosityOf(options);
    this.#type = type;
    this.#kind = type.kind as keyof typeof NOUNS;
    this.#entries = entries ?? [];
    this.#shown = options.sign === ' ' ? ((1 << verbosity) >> 1) << 2 : (1 << verbosity) << 1;
    this.#options = { ...options, types: this.#kind === 'struct' ? 'auto' : 'elide', verbosity: options.verbosity - 1 };
    this.#format = format;
  }

  run(): TextNode {
    if (this.#options.sign === '') this.#differences();
    else this.#oneSide();
    return wrap('{', list(this.#records), '}');
  }

  #key(key: string): string {
    return this.#kind === 'map' ? formatKey(this.#type as GoMap, key) : key;
  }

  #push({ key, value }: ComparedEntry, sign: Sign, options: FormatOptions): void {
    this.#records.push({ sign, key: this.#key(key), value: formatChange(value, options, this.#format) });
  }

  /** Members that are equal, or those of the one side: zero ones are left out. */
  #oneSide(): void {
    for (const entry of this.#entries) {
      if (this.#records.length === this.#shown) {
        this.#records.push(ellipsis());
        break;
      }
      if (!this.#isLeftOut(entry.value)) this.#push(entry, '', this.#options);
    }
  }

  #isLeftOut({ type, x, y, missing }: Comparison): boolean {
    const { sign } = this.#options;
    if (this.#kind !== 'struct') return missing === (sign === '-' ? 'x' : 'y');
    return (sign !== '+' && isZero(type, x)) || (sign !== '-' && isZero(type, y));
  }

  #differences(): void {
    const groups = groupsOf(this.#entries.map(({ value }) => groupMember(value)));
    let at = 0;
    let shown = 0;
    let rest = EMPTY_GROUP;
    groups.forEach((group, i) => {
      if (shown >= this.#shown) {
        rest = sum(rest, group);
        return;
      }
      const size = group.identical + differences(group);
      const entries = this.#entries.slice(at, at + size);
      if (group.identical > 0) this.#equalRun(entries, { isFirst: i === 0, isLast: i === groups.length - 1 });
      else for (const entry of entries) this.#changed(entry);
      at += size;
      shown += differences(group);
    });
    if (rest !== EMPTY_GROUP) this.#elide(rest);
  }

  #elide(group: Group): void {
    this.#records.push(ellipsis(describeGroup(group, NOUNS[this.#kind])));
  }

  #equalRun(entries: readonly ComparedEntry[], place: { isFirst: boolean; isLast: boolean }): void {
    const count = entries.length;
    const { low, high: shownBefore } = context(count, CONTEXT, place);
    // to leave out a single one would be no shorter
    const high = count - low - shownBefore === 1 ? shownBefore + 1 : shownBefore;
    const options: FormatOptions = { ...this.#options, sign: ' ' };
    for (const entry of entries.slice(0, low)) this.#push(entry, '', options);
    if (count > low + high) this.#elide({ ...EMPTY_GROUP, identical: count - low - high });
    for (const entry of entries.slice(count - high)) this.#push(entry, '', options);
  }

  /** What has a single place below it, or none, is shown whole, before and after. */
  #changed(entry: ComparedEntry): void {
    const { key, value } = entry;
    if (showsText(value, this.#options)) {
      this.#records.push({ sign: '', key: this.#key(key), value: changedTexts(value, this.#options, this.#format.spend) });
      return;
    }
    if (value.places !== value.depth) return this.#push(entry, '', this.#options);
    if (value.missing !== undefined) {
      const sign = value.missing === 'y' ? '-' : '+';
      return this.#push(entry, sign, { ...this.#options, sign });
    }
    const sides = distinct(this.#options, (options) => [
      formatChange(value, { ...options, sign: '-' }, this.#format),
      formatChange(value, { ...options, sign: '+' }, this.#format),
    ]);
    this.#records.push({ sign: '-', key: this.#key(key), value: sides[0] }, { sign: '+', key: this.#key(key), value: sides[1] });
  }
}

function groupMember({ different, missing }: Comparison): GroupMember {
  if (different === 0) return 'identical';
  return missing === undefined ? 'modified' : missing === 'y' ? 'removed' : 'inserted';
}
