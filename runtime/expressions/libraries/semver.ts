/** The functions of semantic versions. 1.32 has them in device selectors only, later releases in all expressions. */
import { goQuote } from '../../go-text/quote.ts';
import type { FunctionDeclaration, Library } from '../environment/declarations.ts';
import { BOOL, closedStruct, INT, STRING } from '../types/type.ts';
import { ErrorValue, OpaqueValue, type Value } from '../values/value.ts';
import { declared, member, plain } from './overloads.ts';
import { traversalUnits } from './standard/costs.ts';
import { traversalOf } from './standard/estimates.ts';
import { MAX_UINT } from './standard/ranges.ts';

const SEMVER = closedStruct('kubernetes.Semver');

type Part = bigint | string;

class SemverValue extends OpaqueValue {
  readonly type = SEMVER;
  readonly numbers: readonly [major: bigint, minor: bigint, patch: bigint];
  readonly preRelease: readonly Part[];
  readonly build: readonly string[];

  constructor(numbers: readonly [bigint, bigint, bigint], preRelease: readonly Part[], build: readonly string[]) {
    super();
    this.numbers = numbers;
    this.preRelease = preRelease;
    this.build = build;
  }

  equals(other: OpaqueValue): boolean {
    return other instanceof SemverValue && this.compare(other) === 0;
  }

  /** Build metadata is ignored (Semantic Versioning 2.0.0, section 10). */
  compare(other: SemverValue): -1 | 0 | 1 {
    for (const [index, number] of this.numbers.entries()) {
      const order = compareParts(number, other.numbers[index] as bigint);
      if (order !== 0) return order;
    }
    const [a, b] = [this.preRelease, other.preRelease];
    if (a.length === 0 || b.length === 0) return sign(b.length - a.length);
    for (const [index, part] of a.slice(0, b.length).entries()) {
      const order = compareParts(part, b[index] as Part);
      if (order !== 0) return order;
    }
    return sign(a.length - b.length);
  }

  override toString(): string {
    const preRelease = this.preRelease.length === 0 ? '' : `-${this.preRelease.join('.')}`;
    return `${this.numbers.join('.')}${preRelease}${this.build.length === 0 ? '' : `+${this.build.join('.')}`}`;
  }
}

const sign = (difference: number): -1 | 0 | 1 => (difference < 0 ? -1 : difference > 0 ? 1 : 0);

/** Numbers precede texts (Semantic Versioning 2.0.0, section 11). */
function compareParts(a: Part, b: Part): -1 | 0 | 1 {
  if (typeof a !== typeof b) return typeof a === 'bigint' ? -1 : 1;
  return a === b ? 0 : a < b ? -1 : 1;
}

const DIGITS = /^\d*$/;
const IDENTIFIER = /^[0-9A-Za-z-]*$/;
/** A longer number exceeds 64 bits, because leading zeros are refused. */
const MAX_DIGITS = 20;

function numberOf(text: string, name: string): bigint | ErrorValue {
  if (!DIGITS.test(text)) return new ErrorValue(`Invalid character(s) found in ${name} number ${goQuote(text)}`);
  if (hasLeadingZero(text))
    return new ErrorValue(`${name[0]?.toUpperCase()}${name.slice(1)} number must not contain leading zeroes ${goQuote(text)}`);
  return unsigned(text);
}

function unsigned(text: string): bigint | ErrorValue {
  const wrong = (problem: string): ErrorValue => new ErrorValue(`strconv.ParseUint: parsing ${goQuote(text)}: ${problem}`);
  if (text === '') return wrong('invalid syntax');
  return text.length > MAX_DIGITS || BigInt(text) > MAX_UINT ? wrong('value out of range') : BigInt(text);
}

const hasLeadingZero = (text: string): boolean => text.length > 1 && text.startsWith('0');

function preReleasePart(text: string): Part | ErrorValue {
  if (text === '') return new ErrorValue('Prerelease is empty');
  if (DIGITS.test(text))
    return hasLeadingZero(text)
      ? new ErrorValue(`Numeric PreRelease version must not contain leading zeroes ${goQuote(text)}`)
      : unsigned(text);
  return IDENTIFIER.test(text) ? text : new ErrorValue(`Invalid character(s) found in prerelease ${goQuote(text)}`);
}

function buildPart(text: string): string | ErrorValue {
  if (text === '') return new ErrorValue('Build meta data is empty');
  return IDENTIFIER.test(text) ? text : new ErrorValue(`Invalid character(s) found in build meta data ${goQuote(text)}`);
}

/** Splits a text at the first occurrence of a mark. */
function cut(text: string, mark: string): readonly [before: string, behind: string | undefined] {
  const index = text.indexOf(mark);
  return index === -1 ? [text, undefined] : [text.slice(0, index), text.slice(index + 1)];
}

function parse(text: string): SemverValue | ErrorValue {
  if (text === '') return new ErrorValue('Version string empty');
  const [major, afterMajor] = cut(text, '.');
  const [minor, rest] = cut(afterMajor ?? '', '.');
  if (rest === undefined) return new ErrorValue('No Major.Minor.Patch elements found');
  const [release, build] = cut(rest, '+');
  const [patch, preRelease] = cut(release, '-');
  const numbers = [numberOf(major, 'major'), numberOf(minor, 'minor'), numberOf(patch, 'patch')];
  const preReleases = preRelease === undefined ? [] : preRelease.split('.').map(preReleasePart);
  const builds = build === undefined ? [] : build.split('.').map(buildPart);
  const error = [...numbers, ...preReleases, ...builds].find((part) => part instanceof ErrorValue);
  if (error !== undefined) return error;
  return new SemverValue(numbers as [bigint, bigint, bigint], preReleases as Part[], builds as string[]);
}

/** Removes a leading `v` and leading zeros, and adds missing numbers. */
function parseNormalized(text: string): SemverValue | ErrorValue {
  const [major, afterMajor] = cut(text.replace(/^v/, ''), '.');
  const [minor, rest] = afterMajor === undefined ? [undefined, undefined] : cut(afterMajor, '.');
  const parts = [major, minor, rest].flatMap((part) => part ?? []).map(withoutZeros);
  if (parts.length < 3 && /[+-]/.test(parts.at(-1) as string))
    return new ErrorValue('short version cannot contain PreRelease/Build meta data');
  while (parts.length < 3) parts.push('0');
  return parse(parts.join('.'));
}

function withoutZeros(part: string): string {
  if (part.length <= 1) return part;
  const stripped = part.replace(/^0+/, '');
  return /^\d/.test(stripped) ? stripped : `0${stripped}`;
}

const read = (text: string, normalize: boolean): SemverValue | ErrorValue => (normalize ? parseNormalized(text) : parse(text));
const isSemver = (text: string, normalize: boolean): boolean => read(text, normalize) instanceof SemverValue;
const TRAVERSED = { cost: traversalUnits, estimate: traversalOf(0) };

/** A number that exceeds a signed integer of 64 bits wraps around, as in Go. */
const numberAt = (name: string, index: 0 | 1 | 2): FunctionDeclaration =>
  declared(name, [member(`semver_${name}`, [SEMVER], INT, ({ numbers }: SemverValue): Value => BigInt.asIntN(64, numbers[index]))]);

/** Functions of a parsed version. */
const OF_VERSIONS: readonly FunctionDeclaration[] = [
  declared('isGreaterThan', [
    member('semver_is_greater_than', [SEMVER, SEMVER], BOOL, (a: SemverValue, b: SemverValue) => a.compare(b) > 0),
  ]),
  declared('isLessThan', [member('semver_is_less_than', [SEMVER, SEMVER], BOOL, (a: SemverValue, b: SemverValue) => a.compare(b) < 0)]),
  declared('compareTo', [member('semver_compare_to', [SEMVER, SEMVER], INT, (a: SemverValue, b: SemverValue) => BigInt(a.compare(b)))]),
  numberAt('major', 0),
  numberAt('minor', 1),
  numberAt('patch', 2),
];

export const semverLibrary: Library = {
  name: 'kubernetes.Semver',
  since: 33,
  functions: [
    declared('semver', [
      plain('string_to_semver', [STRING], SEMVER, parse, TRAVERSED),
      plain('string_bool_to_semver', [STRING, BOOL], SEMVER, read, TRAVERSED),
    ]),
    declared('isSemver', [
      plain('is_semver_string', [STRING], BOOL, (text: string) => isSemver(text, false), TRAVERSED),
      plain('is_semver_string_bool', [STRING, BOOL], BOOL, isSemver, TRAVERSED),
    ]),
    ...OF_VERSIONS,
  ],
};

/** The variant of device selectors in 1.32: texts are not normalized, and each call costs one unit. */
export const deviceSemverLibrary: Library = {
  name: semverLibrary.name,
  since: 31,
  functions: [
    declared('semver', [plain('string_to_semver', [STRING], SEMVER, parse)]),
    declared('isSemver', [plain('is_semver_string', [STRING], BOOL, (text: string) => isSemver(text, false))]),
    ...OF_VERSIONS,
  ],
};
