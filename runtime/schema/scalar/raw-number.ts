/**
 * Numbers that a JavaScript number would not write in the same way: integers beyond 2^53, and in parsed text also spellings such as `2.0`
 * or `1e3`, which a typed integer field must refuse. They are held as `JSON.rawJSON`, which `JSON.stringify` writes unchanged.
 */
export interface RawNumber {
  readonly rawJSON: string;
}

interface RawJson {
  rawJSON(text: string): RawNumber;
  isRawJSON(value: unknown): value is RawNumber;
}

const json = JSON as unknown as RawJson;

/** @param text a valid JSON number */
export const rawNumber: (text: string) => RawNumber = json.rawJSON;

export const isRawNumber: (value: unknown) => value is RawNumber = json.isRawJSON;

/** The value of a JSON number: a JavaScript number if it is written as `text`, else a raw number. */
export function numberOf(text: string): number | RawNumber {
  const value = Number(text);
  if (String(value) !== text) return text === '-0' ? 0 : rawNumber(text);
  return Number.isInteger(value) && !Number.isSafeInteger(value) ? rawNumber(text) : value;
}

/** The text of a number or raw number; undefined for anything else. */
export function numberText(value: unknown): string | undefined {
  if (typeof value === 'number') return String(value);
  return isRawNumber(value) ? value.rawJSON : undefined;
}

/** The value of a number or raw number for comparisons with limits, which need no more precision than a double has. */
export function numeric(value: unknown): number {
  return typeof value === 'number' ? value : Number(numberText(value) ?? 0);
}

/** An integer as it is held in memory: a JavaScript number if it is safe, else a raw number. */
export function integerOf(value: bigint): number | RawNumber {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : rawNumber(String(value));
}

/** The integer of a number or raw number. @param number must have no fraction */
export const bigintOf = (number: number | RawNumber): bigint => BigInt(numberText(number) as string);

const INT64_MIN = -(2n ** 63n);
const INT64_MAX = 2n ** 63n - 1n;

/** The signed 64-bit integer of a text; undefined if the text has a fraction or an exponent, or is out of range. */
export function int64Of(text: string): bigint | undefined {
  if (!/^-?\d{1,19}$/.test(text)) return undefined;
  const value = BigInt(text);
  return value >= INT64_MIN && value <= INT64_MAX ? value : undefined;
}

/** Parses a decimal integer of 64 bits, which may have a sign and leading zeros. */
export function parseInt64(text: string): bigint | undefined {
  return int64Of(text.replace(/^([-+]?)0*(?=\d)/, (_start, sign) => (sign === '-' ? '-' : '')));
}

/** A number without a declared type: an integer of 64 bits keeps its digits, any other number is a double. It may be infinite. */
export function untypedNumber(raw: RawNumber): number | RawNumber {
  const integer = int64Of(raw.rawJSON);
  return integer === undefined ? Number(raw.rawJSON) : integerOf(integer);
}
