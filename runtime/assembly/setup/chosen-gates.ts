import { featureGates } from '../../../generated/feature-gates.ts';
import { currentRelease, oldestRelease } from '../../../generated/releases.ts';
import { chosenRelease } from '../../registry/emulation/chosen-release.ts';
import { type ChosenGates, chooseGates, describeGates } from '../../registry/resources/feature-gates.ts';
import type { Flags } from './flags.ts';

type ReleaseFlags = Pick<Flags, 'emulated-release' | 'emulated-version'>;

/** The release whose API is served. @throws Error for an unknown release */
export const releaseOf = (flags: ReleaseFlags): string => chosenRelease(flags, { oldest: oldestRelease, current: currentRelease });

/** @throws Error for unknown releases and feature gates, and for feature gates that are locked to their default */
export function chosenGates(flags: ReleaseFlags & Pick<Flags, 'feature-gates'>): ChosenGates {
  const config = new Map(Object.entries(flags['feature-gates']));
  return chooseGates(featureGates, config, { release: releaseOf(flags), current: currentRelease });
}

/** The lines of --help about the feature gates of the chosen release. @throws Error for an unknown release */
export const describedGates = (flags: ReleaseFlags): string[] => describeGates(featureGates, releaseOf(flags));
