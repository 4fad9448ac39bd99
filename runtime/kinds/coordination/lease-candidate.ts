import type { LeaseCandidateSpec } from '../../../generated/coordination/v1alpha2/types.ts';
import { compareSemanticVersions, parseSemanticVersion, type SemanticVersion } from '../../formats/semantic-versions.ts';

const ZERO: SemanticVersion = { numbers: [0, 0, 0], preRelease: [] };

/** What cannot be read counts as the lowest version. */
const read = (text: string): SemanticVersion => parseSemanticVersion(text) ?? ZERO;

/** A program that behaves like no newer one than it is. */
export function isNotOlder(
  binaryVersion: string,
  _old: unknown,
  _context: unknown,
  _scope: unknown,
  { emulationVersion }: LeaseCandidateSpec,
): boolean {
  return !emulationVersion || compareSemanticVersions(read(binaryVersion), read(emulationVersion)) >= 0;
}

export function isVersion(emulationVersion: string): boolean {
  return compareSemanticVersions(read(emulationVersion), ZERO) !== 0;
}
