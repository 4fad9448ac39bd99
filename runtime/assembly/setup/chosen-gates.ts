import { featureGates } from '../../../generated/feature-gates.ts';
import { currentRelease, oldestRelease } from '../../../generated/releases.ts';
import { chosenRelease } from '../../registry/emulation/chosen-release.ts';
import { type ChosenGates, chooseGates, describeGates, requireGates } from '../../registry/resources/feature-gates.ts';
import type { Flags } from './flags.ts';

type ReleaseFlags = Pick<Flags, 'emulated-release' | 'emulated-version'>;

/** The release whose API is served. @throws Error for an unknown release */
export const releaseOf = (flags: ReleaseFlags): string => chosenRelease(flags, { oldest: oldestRelease, current: currentRelease });

/** @throws Error for unknown releases and feature gates, for feature gates that are locked to their default, and for those that require another */
export function chosenGates(flags: ReleaseFlags & Pick<Flags, 'feature-gates'>): ChosenGates {
  const release = releaseOf(flags);
  const gates = chooseGates(featureGates, new Map(Object.entries(flags['feature-gates'])), { release, current: currentRelease });
  requireGates(featureGates, gates, release);
  return gates;
}

/** The lines of --help about the feature gates of the chosen release. @throws Error for an unknown release */
export const describedGates = (flags: ReleaseFlags): string[] => describeGates(featureGates, releaseOf(flags));
