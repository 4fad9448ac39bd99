import { NOTHING } from './messages.ts';

/**
 * Versions such as `1.32.0-alpha.1+build`: three numbers, an optional pre-release, and optional build metadata.
 * @see https://semver.org/spec/v2.0.0.html
 */
export interface SemanticVersion {
  readonly numbers: readonly [major: number, minor: number, patch: number];
  /** dot-separated parts; empty for a release */
  readonly preRelease: readonly string[];
}

const NUMBER = '(0|[1-9]\\d*)';
const IDENTIFIER = '[0-9A-Za-z-]+';
const pattern = new RegExp(
  `^${NUMBER}\\.${NUMBER}\\.${NUMBER}(?:-(${IDENTIFIER}(?:\\.${IDENTIFIER})*))?(?:\\+${IDENTIFIER}(?:\\.${IDENTIFIER})*)?$`,
);

const INVALID = ['must be a valid semantic version'];

/** As in 1.32, the error gives no details. */
export function semanticVersion(value: string): readonly string[] {
  return parseSemanticVersion(value) === undefined ? INVALID : NOTHING;
}

export function parseSemanticVersion(text: string): SemanticVersion | undefined {
  const [all, major, minor, patch, preRelease] = pattern.exec(text) ?? [];
  if (all === undefined) return undefined;
  const parts = preRelease === undefined ? [] : preRelease.split('.');
  if (parts.some((part) => /^0\d+$/.test(part))) return undefined;
  return { numbers: [Number(major), Number(minor), Number(patch)], preRelease: parts };
}

/** @returns a negative number if `a` precedes `b`, 0 if they have equal precedence; build metadata is ignored */
export function compareSemanticVersions(a: SemanticVersion, b: SemanticVersion): number {
  for (const [index, number] of a.numbers.entries()) {
    const difference = number - (b.numbers[index] as number);
    if (difference !== 0) return difference;
  }
  return comparePreReleases(a.preRelease, b.preRelease);
}

/** A pre-release precedes its release; numbers precede texts; of two lists with the same beginning, the longer one comes last. */
function comparePreReleases(a: readonly string[], b: readonly string[]): number {
  if (a.length === 0 || b.length === 0) return b.length - a.length;
  for (const [index, part] of a.entries()) {
    const other = b[index];
    if (other === undefined) return 1;
    if (part !== other) return compareParts(part, other);
  }
  return a.length - b.length;
}

function compareParts(a: string, b: string): number {
  const [aIsNumber, bIsNumber] = [/^\d+$/.test(a), /^\d+$/.test(b)];
  if (aIsNumber && bIsNumber) return Number(a) - Number(b);
  if (aIsNumber !== bIsNumber) return aIsNumber ? -1 : 1;
  return a < b ? -1 : 1;
}
