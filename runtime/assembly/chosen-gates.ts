/** The release and the feature gates that flags choose. */
import { featureGates } from '../../generated/feature-gates.ts';
import { currentRelease, oldestRelease } from '../../generated/releases.ts';
import { chosenRelease } from '../registry/emulation/chosen-release.ts';
import { type ChosenGates, chooseGates, describeGates } from '../registry/feature-gates.ts';
import type { Flags } from './flags.ts';

type ReleaseFlags = Pick<Flags, 'emulated-release' | 'emulated-version'>;

/** The one whose API is served. @throws Error for one that nobody knows */
export const releaseOf = (flags: ReleaseFlags): string => chosenRelease(flags, { oldest: oldestRelease, current: currentRelease });

/** @throws Error for releases and gates that nobody knows, and for gates that cannot be turned */
export function chosenGates(flags: ReleaseFlags & Pick<Flags, 'feature-gates'>): ChosenGates {
  const config = new Map(Object.entries(flags['feature-gates']));
  return chooseGates(featureGates, config, { release: releaseOf(flags), current: currentRelease });
}

/** What the help says of the gates of the release that is chosen. @throws Error for a release that nobody knows */
export const describedGates = (flags: ReleaseFlags): string[] => describeGates(featureGates, releaseOf(flags));
