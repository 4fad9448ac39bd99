/**
 * Numbers whose digits a JavaScript number would not give back: integers beyond 2^53, and in freshly parsed text also spellings such
 * as `2.0` or `1e3`, which a typed integer field must refuse. They are held as `JSON.rawJSON`, which `JSON.stringify` writes as it is.
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

/** The number of a JSON number's text: a JavaScript number where its own spelling is `text`, else a raw one. */
export function numberOf(text: string): number | RawNumber {
  const value = Number(text);
  if (String(value) !== text) return text === '-0' ? 0 : rawNumber(text);
  return Number.isInteger(value) && !Number.isSafeInteger(value) ? rawNumber(text) : value;
}

/** The text of a number of either kind; undefined for anything else. */
export function numberText(value: unknown): string | undefined {
  if (typeof value === 'number') return String(value);
  return isRawNumber(value) ? value.rawJSON : undefined;
}

/** The value of a number of either kind for comparing it with limits; what a double cannot tell apart does not matter there. */
export function numeric(value: unknown): number {
  return typeof value === 'number' ? value : Number(numberText(value) ?? 0);
}

/** An integer as it is held in memory: a JavaScript number as far as that is exact. */
export function integerOf(value: bigint): number | RawNumber {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : rawNumber(String(value));
}

/** The integer that a number of either kind stands for. @param number without a fraction */
export const bigintOf = (number: number | RawNumber): bigint => BigInt(numberText(number) as string);

const INT64_MIN = -(2n ** 63n);
const INT64_MAX = 2n ** 63n - 1n;

/** The 64-bit integer that a number's text spells; undefined for a fraction, an exponent, or one out of range. */
export function int64Of(text: string): bigint | undefined {
  if (!/^-?\d{1,19}$/.test(text)) return undefined;
  const value = BigInt(text);
  return value >= INT64_MIN && value <= INT64_MAX ? value : undefined;
}

/** An integer of 64 bits in base ten, before which a sign may stand, and zeros. */
export function parseInt64(text: string): bigint | undefined {
  return int64Of(text.replace(/^([-+]?)0*(?=\d)/, (_start, sign) => (sign === '-' ? '-' : '')));
}

/** A number without a type of its own: an integer of 64 bits keeps its digits, all others are doubles. Infinity where a double is too small. */
export function untypedNumber(raw: RawNumber): number | RawNumber {
  const integer = int64Of(raw.rawJSON);
  return integer === undefined ? Number(raw.rawJSON) : integerOf(integer);
}
