/**
 * Reads scalars of YAML as the library of 1.32 does: it supports the common words of version 1.1 and treats the rest as texts. So times and
 * dates are texts, numbers may have underscores, and `0644` is octal.
 */
import { integerOf, isRawNumber, type RawNumber } from '../scalar/raw-number.ts';
import { YamlSyntaxError } from './yaml-syntax-error.ts';

/** A number may be infinite or NaN, which JSON cannot express. */
export type YamlScalar = string | number | boolean | null | RawNumber;

const WORDS: ReadonlyMap<string, YamlScalar> = new Map<string, YamlScalar>([
  ...words(null, ['', '~', 'null', 'Null', 'NULL']),
  ...words(true, ['y', 'Y', 'yes', 'Yes', 'YES', 'true', 'True', 'TRUE', 'on', 'On', 'ON']),
  ...words(false, ['n', 'N', 'no', 'No', 'NO', 'false', 'False', 'FALSE', 'off', 'Off', 'OFF']),
  ...words(Number.NaN, ['.nan', '.NaN', '.NAN']),
  ...words(Number.POSITIVE_INFINITY, ['.inf', '.Inf', '.INF', '+.inf', '+.Inf', '+.INF']),
  ...words(Number.NEGATIVE_INFINITY, ['-.inf', '-.Inf', '-.INF']),
]);
const LONGEST_WORD = 5;

const NUMBER_START = /^[-+.0-9]/;
export const INTEGER: RegExp =
  /^[-+]?(?:0_*|0[bB](?=_*[01])[01_]+|0[oO]?(?=_*[0-7])[0-7_]+|0[xX](?=_*[0-9a-fA-F])[0-9a-fA-F_]+|[1-9][0-9_]*)$/;
export const FLOAT: RegExp = /^[-+]?(?:\.(?=_*[0-9])[0-9_]+|[0-9][0-9_]*(?:\.[0-9_]*)?)(?:[eE][-+]?(?=_*[0-9])[0-9_]+)?$/;
/** Limit of the digits of an integer, because the time of converting it is not linear. */
const MAX_DIGITS = 1_000;
const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;

/** @param text without quotes; an integer of 64 bits keeps every digit; a number that exceeds doubles is a text */
export function plainScalar(text: string): YamlScalar {
  if (text.length <= LONGEST_WORD) {
    const word = WORDS.get(text);
    if (word !== undefined) return word;
  }
  if (!NUMBER_START.test(text)) return text;
  return (INTEGER.test(text) ? integer(text) : double(text)) ?? text;
}

export const TAG_PREFIX = 'tag:yaml.org,2002:';
export const MERGE_TAG: string = `${TAG_PREFIX}merge`;
const BINARY_TAG = `${TAG_PREFIX}binary`;
/** The values that a tag allows. */
const TAGGED: ReadonlyMap<string, (value: YamlScalar, text: string) => boolean> = new Map([
  [`${TAG_PREFIX}null`, (value) => value === null],
  [`${TAG_PREFIX}bool`, (value) => typeof value === 'boolean'],
  [`${TAG_PREFIX}int`, (_value, text) => INTEGER.test(text)],
  [`${TAG_PREFIX}float`, (value) => typeof value === 'number' || isRawNumber(value)],
]);
/** A prefix that a directive gives to many tags may be long: a search for each of them would read it again. */
const LONGEST_TAG = Math.max(...[...TAGGED.keys()].map((tag) => tag.length));

/**
 * @param tag in full, such as `tag:yaml.org,2002:int`; under an unknown tag the text stays a text
 * @throws YamlSyntaxError for a text that the tag does not allow
 */
export function taggedScalar(text: string, tag: string): YamlScalar {
  if (tag === BINARY_TAG) return binary(text);
  const allows = tag.length <= LONGEST_TAG ? TAGGED.get(tag) : undefined;
  if (allows === undefined) return text;
  const value = plainScalar(text);
  if (allows(value, text)) return value;
  throw new YamlSyntaxError(`cannot decode ${kindOf(value, text)} \`${text.slice(0, 100)}\` as a !!${tag.slice(TAG_PREFIX.length)}`);
}

/** The short tag of what a text without a tag would be. */
function kindOf(value: YamlScalar, text: string): string {
  if (value === null) return '!!null';
  if (typeof value === 'boolean') return '!!bool';
  if (typeof value === 'string') return '!!str';
  return INTEGER.test(text) ? '!!int' : '!!float';
}

function words(value: YamlScalar, texts: readonly string[]): [string, YamlScalar][] {
  return texts.map((text) => [text, value]);
}

/** @param text of the form INTEGER */
export function integerValue(text: string): bigint {
  const digits = text.replace(/^[-+]|_/g, '');
  const value = BigInt(/^0[0-7]/.test(digits) ? `0o${digits.slice(1)}` : digits);
  return text.startsWith('-') ? -value : value;
}

/** @returns undefined if the integer exceeds 64 bits and is no decimal number, which could be a double */
function integer(text: string): YamlScalar | undefined {
  const digits = text.replace(/^\+|_/g, '');
  if (digits.length > MAX_DIGITS) return double(text);
  const value = integerValue(text);
  return value >= -(2n ** 63n) && value < 2n ** 64n ? integerOf(value) : double(text);
}

function double(text: string): number | undefined {
  if (!FLOAT.test(text)) return undefined;
  const number = Number(text.replaceAll('_', ''));
  return Number.isFinite(number) ? number : undefined;
}

function binary(text: string): string {
  const base64 = text.replace(/\s/g, '');
  if (!BASE64.test(base64) || base64.length % 4 !== 0) throw new YamlSyntaxError('!!binary value contains invalid base64 data');
  return Buffer.from(base64, 'base64').toString('utf8');
}
