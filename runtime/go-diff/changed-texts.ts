/** Changes within a text, or within a list of numbers: runs of bytes, lines or numbers instead of the whole, before and after. */

import { goQuote } from '../go-text/quote.ts';
import type { Comparison } from './comparison.ts';
import { editScript } from './edit-script.ts';
import { ellipsis, type FormatOptions, verbosityOf, withoutReturns, withType } from './format-value.ts';
import { scalarText, typeName } from './go-type.ts';
import { context, describeGroup, differences, EMPTY_GROUP, type Group, type GroupMember, groupsOf, sum } from './groups.ts';
import { isPrintable, quoted, quotedBytes } from './quoted.ts';
import { ELLIPSIS, list, type Sign, type TextNode, type TextRecord, wrap } from './text-node.ts';

/** A text with fewer bytes, or a list with fewer numbers, is shown whole. */
const MIN_LENGTH = 32;

/** Looking at a byte takes this part of the time that looking at a member takes. */
const PLACES_PER_BYTE = 1 / 2;

/** Is told how many places were looked at. @throws TooManyValues */
type Spend = (places: number) => void;

/** Whether both sides are texts, or lists of numbers, of which only what differs is to be shown. */
export function showsText({ type, x, y, missing, same, different, byMethod }: Comparison, { sign }: FormatOptions): boolean {
  if (sign !== '' || different === 0 || missing !== undefined || byMethod > 0) return false;
  if (type.kind === 'string')
    return isLong(Buffer.byteLength((x as string | undefined) ?? ''), Buffer.byteLength((y as string | undefined) ?? ''));
  if (type.kind !== 'slice' || (type.element.kind !== 'number' && type.element.kind !== 'bool')) return false;
  const [before, after] = [x, y] as [readonly unknown[] | undefined, readonly unknown[] | undefined];
  if (before === undefined || after === undefined || before.length === 0 || after.length === 0) return false;
  return different > same || isLong(before.length, after.length);
}

const isLong = (x: number, y: number): boolean => x >= MIN_LENGTH && y >= MIN_LENGTH;

export function changedTexts({ type, x, y }: Comparison, options: FormatOptions, spend: Spend): TextNode {
  if (type.kind === 'string') return changedString((x as string | undefined) ?? '', (y as string | undefined) ?? '', options, spend);
  const element = typeName((type as { element: typeof type }).element);
  const show = (values: readonly unknown[], sign: Sign): TextRecord => ({ sign, key: '', value: values.map(scalarText).join(', ') });
  const [before, after] = [x, y] as [readonly unknown[], readonly unknown[]];
  const equal = (i: number, j: number): boolean => scalarText(before[i]) === scalarText(after[j]);
  const chunk = element === 'bool' ? 16 : 8;
  const sides: Sides<unknown[]> = { before: before.slice(), after: after.slice(), equal, show };
  return withType(type, wrap('{', list(new RunsFormat(sides, chunk, element, options, spend).run()), '}'), options);
}

const BYTES_SHOWN = 64;
const MIN_LINES = 4;
const MAX_LINE_BYTES = 1024;

function changedString(before: string, after: string, options: FormatOptions, spend: Spend): TextNode {
  spend((before.length + after.length) * PLACES_PER_BYTE);
  const bytes = byteSides(before, after);
  if (!isMostlyText(before + after)) return changedBytes(bytes, options, spend);
  const lines = lineSides(before, after);
  if (!hasLines(before + after) || !linesSayMore(lines, bytes, before + after, spend)) {
    const records = new RunsFormat(bytes, BYTES_SHOWN, 'byte', options, spend).run();
    return wrap('strings.Join(', wrap('{', list(records), '}'), ', "")');
  }
  const shown = new RunsFormat(lines, 1, 'line', options, spend).run();
  return tripleQuoted(shown) ?? wrap('strings.Join(', wrap('{', list(shown.map(quotedLine)), '}'), ', "\\n")');
}

const HEX_BYTES = 16;

/** Texts with much that cannot be printed are shown as a dump of bytes. */
function changedBytes(sides: Sides<Buffer>, options: FormatOptions, spend: Spend): TextNode {
  const show = (bytes: Buffer, sign: Sign): TextRecord => {
    const value = [...bytes].map((byte) => `0x${byte.toString(16).padStart(2, '0')}`).join(', ');
    return { sign, key: '', value, comment: `${sign}|${bytes.toString('latin1').replace(/[^ -~]/g, '.')}|` };
  };
  const records = new RunsFormat({ ...sides, show }, HEX_BYTES, 'byte', options, spend).run();
  return wrap('string', wrap('{', list(records), '}'), '');
}

const UNPRINTABLE = /[^\p{L}\p{M}\p{N}\p{P}\p{S}\s\u0085]|\ufffd/gu;

function isMostlyText(text: string): boolean {
  const total = [...text].length;
  return total - (text.match(UNPRINTABLE)?.length ?? 0) > Math.floor(0.9 * total);
}

/** Texts of several lines, none of them very long, in which everything can be printed. */
function hasLines(text: string): boolean {
  const lines = text.split('\n');
  if (lines.length <= MIN_LINES || text.match(UNPRINTABLE) !== null) return false;
  return lines.slice(0, -1).every((line) => Buffer.byteLength(line) <= MAX_LINE_BYTES);
}

/** Whether lines are shown: they are, unless runs of bytes show the same with a fourth of the changes. */
function linesSayMore(lines: Sides<string[]>, bytes: Sides<Buffer>, text: string, spend: Spend): boolean {
  const escaped = Buffer.byteLength(goQuote(text)) / Buffer.byteLength(text);
  return changedShare(lines, spend) < 4 * changedShare(bytes, spend) || escaped > 1.1;
}

function changedShare<T extends Run>(sides: Sides<T>, spend: Spend): number {
  const edits = editsOf(sides, spend);
  return edits.filter((edit) => edit !== 'same').length / edits.length;
}

/** @returns the lines between lines of three quotes; undefined where readers could take them for something else, or could not see a change */
function tripleQuoted(records: readonly TextRecord[]): TextNode | undefined {
  const quotes: TextRecord = { sign: '', key: '', value: '"""', elidesComma: true };
  const seen = { '-': new Set<string>(), '+': new Set<string>() };
  const lines: TextRecord[] = [];
  for (const record of records) {
    const line = record.comment === undefined ? withoutReturns(record.value as string) : ELLIPSIS;
    if (record.comment === undefined && (line.startsWith('"""') || line.startsWith(ELLIPSIS) || !isPrintable(line))) return undefined;
    if (record.sign === '-' || record.sign === '+') {
      const visible = line.replace(/[\s\u0085]/g, '');
      if (seen[record.sign === '-' ? '+' : '-'].has(visible)) return undefined;
      seen[record.sign].add(visible);
    } else {
      seen['-'].clear();
      seen['+'].clear();
    }
    lines.push({ ...record, value: line, elidesComma: true });
  }
  const last = lines.at(-1);
  if (last?.sign === ' ' && last.value === '') lines.pop();
  return wrap('(', list([quotes, ...lines, quotes]), ')');
}

const quotedLine = (record: TextRecord): TextRecord =>
  record.comment === undefined ? { ...record, value: quoted(record.value as string) } : record;

interface Run {
  readonly length: number;
  subarray?(start: number, end: number): Run;
  slice(start: number, end?: number): Run;
}

/** What is compared, and how a part of one side is shown. */
interface Sides<T extends Run> {
  readonly before: T;
  readonly after: T;
  readonly equal: (i: number, j: number) => boolean;
  readonly show: (part: T, sign: Sign) => TextRecord;
}

function byteSides(before: string, after: string): Sides<Buffer> {
  const [x, y] = [Buffer.from(before), Buffer.from(after)];
  return { before: x, after: y, equal: (i, j) => x[i] === y[j], show: (part, sign) => ({ sign, key: '', value: quotedBytes(part) }) };
}

/** Lines are shown as they are; who prints them says how they are quoted. */
function lineSides(before: string, after: string): Sides<string[]> {
  const [x, y] = [before.split('\n'), after.split('\n')];
  return { before: x, after: y, equal: (i, j) => x[i] === y[j], show: (part, sign) => ({ sign, key: '', value: part[0] as string }) };
}

const EDITS = { same: 'identical', removed: 'removed', inserted: 'inserted', modified: 'modified' } as const;
const EQUAL = { same: 1, different: 0 };
const UNEQUAL = { same: 0, different: 2 };

function editsOf<T extends Run>({ before, after, equal }: Sides<T>, spend: Spend) {
  return editScript(before.length, after.length, (i, j) => {
    spend(PLACES_PER_BYTE);
    return equal(i, j) ? EQUAL : UNEQUAL;
  });
}

class RunsFormat<T extends Run> {
  readonly #sides: Sides<T>;
  readonly #chunk: number;
  readonly #noun: string;
  readonly #shown: number;
  readonly #spend: Spend;
  readonly #records: TextRecord[] = [];

  /** @param chunk how much of a run stands on one line */
  constructor(sides: Sides<T>, chunk: number, noun: string, options: FormatOptions, spend: Spend) {
    this.#sides = sides;
    this.#chunk = chunk;
    this.#noun = noun;
    this.#shown = (1 << verbosityOf(options)) << 2;
    this.#spend = spend;
  }

  run(): TextRecord[] {
    const members = editsOf(this.#sides, this.#spend).map((edit): GroupMember => EDITS[edit]);
    const groups = trimmed(joined(groupsOf(members), Math.floor(this.#chunk / 4)), this.#sides.equal);
    let [i, j, shown] = [0, 0, 0];
    let rest = EMPTY_GROUP;
    groups.forEach((group, at) => {
      if (shown >= this.#shown) {
        rest = sum(rest, group);
        return;
      }
      const { identical, removed, inserted, modified } = group;
      const [endX, endY] = [i + identical + removed + modified, j + identical + inserted + modified];
      if (differences(group) === 0) this.#equalRun(i, endX, { isFirst: at === 0, isLast: at === groups.length - 1 });
      else {
        const count = this.#records.length;
        this.#append(this.#sides.before, i, endX, '-');
        this.#append(this.#sides.after, j, endY, '+');
        shown += this.#records.length - count;
      }
      [i, j] = [endX, endY];
    });
    if (rest !== EMPTY_GROUP) this.#records.push(ellipsis(describeGroup(rest, this.#noun)));
    return this.#records;
  }

  #append(side: T, start: number, end: number, sign: Sign): void {
    for (let at = start; at < end; at += this.#chunk)
      this.#records.push(this.#sides.show(side.slice(at, Math.min(at + this.#chunk, end)) as T, sign));
  }

  #equalRun(start: number, end: number, place: { isFirst: boolean; isLast: boolean }): void {
    const { before } = this.#sides;
    const count = end - start;
    const { low, high: shownBefore } = context(count, 2 * this.#chunk, place);
    // to leave out a single line would be no shorter
    const high = count - low - shownBefore <= this.#chunk ? count - low : shownBefore;
    this.#append(before, start, start + low, ' ');
    if (count > low + high) this.#records.push(ellipsis(describeGroup({ ...EMPTY_GROUP, identical: count - low - high }, this.#noun)));
    this.#append(before, end - high, end, ' ');
  }
}

/** Runs of few equal members between runs of which some are removed and some inserted become part of them. */
function joined(groups: readonly Group[], few: number): Group[] {
  const out: Group[] = [];
  for (const group of groups) {
    const [previous, equal] = [out.at(-2), out.at(-1)];
    if (previous !== undefined && equal !== undefined && differences(group) > 0 && equal.identical <= few) {
      const both = sum(previous, group);
      if (both.removed > 0 && both.inserted > 0) {
        out.splice(-2, 2, sum(previous, sum(equal, group)));
        continue;
      }
    }
    out.push(group);
  }
  return out;
}

/** What runs that differ have in common at their ends belongs to their equal neighbours. */
function trimmed(groups: readonly Group[], equal: (i: number, j: number) => boolean): Group[] {
  const out = groups.map((group) => ({ ...group }));
  const atStart = { ...EMPTY_GROUP };
  const atEnd = { ...EMPTY_GROUP };
  let [i, j] = [0, 0];
  groups.forEach((_, at) => {
    const group = out[at] as Group;
    let x = group.identical + group.removed + group.modified;
    let y = group.identical + group.inserted + group.modified;
    if (differences(group) > 0) {
      const [startX, startY, most] = [i, j, Math.min(x, y)];
      let [leading, trailing] = [0, 0];
      while (leading < most && equal(startX + leading, startY + leading)) leading++;
      while (trailing < most && equal(startX + x - 1 - trailing, startY + y - 1 - trailing)) trailing++;
      (out[at - 1] ?? atStart).identical += leading;
      (out[at + 1] ?? atEnd).identical += trailing;
      if (leading + trailing > 0) {
        i += leading;
        j += leading;
        x -= leading + trailing;
        y -= leading + trailing;
        out[at] = { ...EMPTY_GROUP, removed: x, inserted: y };
      }
    }
    i += x;
    j += y;
  });
  return [atStart, ...out, atEnd].filter((group) => (group !== atStart && group !== atEnd) || group.identical > 0);
}
