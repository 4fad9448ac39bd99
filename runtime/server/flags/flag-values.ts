/** Reads the values of flags from their texts. */
import { CsvError, parseCsv } from '../../formats/csv.ts';
import { parseDuration } from '../../schema/scalar/duration.ts';
import { type FlagData, FlagError, type FlagValue, rangeText } from './flag-data.ts';

const TRUE = new Set(['1', 't', 'T', 'true', 'TRUE', 'True']);
const FALSE = new Set(['0', 'f', 'F', 'false', 'FALSE', 'False']);

/**
 * @param texts what was given, in order: of a flag with one value the last counts, of lists and maps all; empty: the zero value
 * @throws FlagError, also for a text that does not count
 */
export function parseFlagValue(flag: FlagData, texts: readonly string[]): FlagValue {
  if (flag.type === 'lines') return texts;
  if (flag.type === 'strings') {
    const lists = texts.map((text) => fieldsOf(flag, text));
    if (flag.repeated !== 'last') return lists.flat();
    const last = lists.at(-1) ?? [];
    return last.length === 0 && Array.isArray(flag.default) ? flag.default : last;
  }
  if (flag.type === 'map') {
    const pairs = flag.commas === 'kept' ? texts : texts.flatMap(split);
    return Object.fromEntries(pairs.map((pair) => keyAndValue(flag, pair)));
  }
  const values = texts.map((text) => scalarOf(flag, text));
  return values.at(-1) ?? (flag.type === 'boolean' ? false : flag.type === 'string' ? '' : 0);
}

function scalarOf(flag: FlagData, text: string): string | boolean | number {
  if (flag.type === 'string') return oneOf(flag, text);
  return flag.type === 'boolean' ? parseBoolean(flag, text) : parseQuantity(flag, text);
}

/** A list is a record of comma-separated values: quotes keep commas together, and blanks and empty values stay. */
function fieldsOf(flag: FlagData, text: string): readonly string[] {
  try {
    return parseCsv(text)[0]?.fields ?? [];
  } catch (error) {
    if (error instanceof CsvError) throw wrong(flag, text, error.message);
    throw error;
  }
}

function split(text: string): string[] {
  return text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

function keyAndValue(flag: FlagData, pair: string): [string, string] {
  const equals = pair.indexOf('=');
  if (equals === 0 || (equals === -1 && flag.bareKeys !== true)) throw wrong(flag, pair, 'key=value is expected');
  return equals === -1 ? [pair, ''] : [pair.slice(0, equals).trim(), pair.slice(equals + 1).trim()];
}

function oneOf(flag: FlagData, text: string): string {
  if (flag.values !== undefined && !flag.values.includes(text)) throw wrong(flag, text, `one of ${flag.values.join(', ')} is expected`);
  return text;
}

function parseBoolean(flag: FlagData, text: string): boolean {
  if (TRUE.has(text)) return true;
  if (FALSE.has(text)) return false;
  throw wrong(flag, text, 'true or false is expected');
}

/** @throws FlagError also for what is out of the flag's range */
function parseQuantity(flag: FlagData, text: string): number {
  const value = parseAmount(flag, text);
  const { minimum = text, maximum = text } = flag;
  if (value < parseAmount(flag, String(minimum)) || value > parseAmount(flag, String(maximum)))
    throw wrong(flag, text, `${rangeText(flag)} is expected`);
  return value;
}

function parseAmount(flag: FlagData, text: string): number {
  if (flag.type === 'duration') return parseMilliseconds(flag, text);
  if (flag.type === 'bytes') return parseBytes(flag, text);
  const value = flag.type === 'integer' ? parseInteger(text) : parseNumber(text);
  if (!Number.isFinite(value)) throw wrong(flag, text, `${flag.type === 'integer' ? 'an integer' : 'a number'} is expected`);
  return value;
}

const NUMBER = /^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i;

/** @returns NaN for what is no number */
const parseNumber = (text: string): number => (NUMBER.test(text) ? Number(text) : NaN);

/** The literals of integers in Go, where a zero before digits makes them octal. */
const INTEGER = /^([+-]?)(0|[1-9](?:_?\d)*|0x(?:_?[\da-f])+|0b(?:_?[01])+|0o?(?:_?[0-7])+)$/i;

/** @returns NaN for what is no integer of 64 bits */
function parseInteger(text: string): number {
  const [, sign, digits = ''] = INTEGER.exec(text) ?? [];
  if (digits === '') return NaN;
  const amount = BigInt(
    digits
      .replaceAll('_', '')
      .replace(/^0(?=\d)/, '0o')
      .toLowerCase(),
  );
  const value = sign === '-' ? -amount : amount;
  return BigInt.asIntN(64, value) === value ? Number(value) : NaN;
}

/** @returns milliseconds */
function parseMilliseconds(flag: FlagData, text: string): number {
  const nanoseconds = parseDuration(text);
  if (nanoseconds === undefined) throw wrong(flag, text, 'a duration such as 300ms or 1m30s is expected');
  return Number(nanoseconds) / 1e6;
}

const UNITS: Readonly<Record<string, number>> = {
  '': 1,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  Ti: 2 ** 40,
};

function parseBytes(flag: FlagData, text: string): number {
  const match = /^(\d+(?:\.\d+)?)([A-Za-z]*)$/.exec(text);
  const unit = UNITS[match?.[2] ?? 'none'];
  if (match === null || unit === undefined) throw wrong(flag, text, 'a number of bytes such as 1000000, 512Mi or 1Gi is expected');
  return Math.floor(Number(match[1]) * unit);
}

function wrong(flag: FlagData, text: string, expected: string): FlagError {
  return new FlagError(`invalid argument ${JSON.stringify(text)} for "--${flag.name}" flag: ${expected}`);
}
