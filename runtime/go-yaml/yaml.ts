/** JSON values as YAML, in the layout of release 1.32. */
import { isRawNumber, numberText, type RawNumber } from '../schema/scalar/raw-number.ts';
import { compareKeys } from './key-order.ts';
import { BREAK } from './scalar-style.ts';
import { YamlWriter } from './yaml-writer.ts';

/** Bytes of a key that stands on one line with its value. */
const MAX_KEY_BYTES = 128;

/** Members that are undefined are left out. @throws RangeError for a value nested deeper than the stack has room for */
export function yamlText(value: unknown): string {
  const writer = new YamlWriter();
  write(writer, value, false);
  return writer.finish();
}

function write(writer: YamlWriter, value: unknown, isMember: boolean): void {
  if (typeof value === 'string') writer.scalar(value, false);
  else if (typeof value === 'number' || isRawNumber(value)) writer.word(numberWord(value));
  else if (typeof value !== 'object' || value === null) writer.word(String(value ?? null));
  else if (Array.isArray(value)) writeList(writer, value, isMember);
  else writeMap(writer, value as Readonly<Record<string, unknown>>, isMember);
}

function writeList(writer: YamlWriter, list: readonly unknown[], isMember: boolean): void {
  if (list.length === 0) return writer.word('[]');
  writer.collection(true, isMember, () => {
    for (const element of list) {
      writer.line();
      writer.mark('-');
      write(writer, element, false);
    }
  });
}

function writeMap(writer: YamlWriter, map: Readonly<Record<string, unknown>>, isMember: boolean): void {
  const keys = Object.keys(map).filter((key) => map[key] !== undefined);
  if (keys.length === 0) return writer.word('{}');
  writer.collection(false, isMember, () => {
    for (const key of keys.sort(compareKeys)) {
      writer.line();
      writeKey(writer, key);
      write(writer, map[key], true);
    }
  });
}

function writeKey(writer: YamlWriter, key: string): void {
  if (Buffer.byteLength(key) <= MAX_KEY_BYTES && !BREAK.test(key)) {
    writer.scalar(key, true);
    return writer.colon();
  }
  writer.mark('?');
  writer.scalar(key, false);
  writer.line();
  writer.mark(':');
}

const MAX_UINT64 = (1n << 64n) - 1n;
const MIN_INT64 = -(1n << 63n);
const MAX_INTEGER_LENGTH = 20;

/** Integers of 64 bits have all their digits, other numbers those of a double. */
function numberWord(number: number | RawNumber): string {
  const text = numberText(number) as string;
  const value = Number(text);
  const isInteger = /^-?\d+$/.test(text);
  if (isInteger ? text.length <= MAX_INTEGER_LENGTH : Number.isInteger(value)) {
    const integer = BigInt(isInteger ? text : value);
    if (integer >= MIN_INT64 && integer <= MAX_UINT64) return integer.toString();
  }
  return doubleWord(value);
}

/** Of a power below -4 or above 5 that is written as an exponent of two digits or more. */
function doubleWord(value: number): string {
  const [digits, exponent] = value.toExponential().split('e') as [string, string];
  const power = Number(exponent);
  if (power >= -4 && power < 6) return value.toString();
  return `${digits}e${power < 0 ? '-' : '+'}${String(Math.abs(power)).padStart(2, '0')}`;
}
