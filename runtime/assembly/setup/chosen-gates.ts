import { featureGates } from '../../../generated/feature-gates.ts';
import { currentRelease, oldestRelease } from '../../../generated/releases.ts';
import { chosenRelease } from '../../registry/emulation/chosen-release.ts';
import { type ChosenGates, chooseGates, describeGates } from '../../registry/resources/feature-gates.ts';
import type { Flags } from './flags.ts';

type ReleaseFlags = Pick<Flags, 'emulated-release' | 'emulated-version'>;

/** The release whose API is served. @throws Error for an unknown release */
export const releaseOf = (flags: ReleaseFlags): string => chosenRelease(flags, { oldest: oldestRelease, current: currentRelease });

/** Feature gates that the server does not start with unless another is on, in the words of 1.32. */
const NEEDED: readonly (readonly [gate: string, needed: string, called: string])[] = [
  ['AuthorizeNodeWithSelectors', 'AuthorizeWithSelectors', 'feature'],
  ['UnknownVersionInteroperabilityProxy', 'StorageVersionAPI', 'feature flag'],
];

/** @throws Error for unknown releases and feature gates, for feature gates that are locked to their default, and for those that lack another */
export function chosenGates(flags: ReleaseFlags & Pick<Flags, 'feature-gates'>): ChosenGates {
  const config = new Map(Object.entries(flags['feature-gates']));
  const gates = chooseGates(featureGates, config, { release: releaseOf(flags), current: currentRelease });
  for (const [gate, needed, called] of NEEDED)
    if (gates.isEnabled(gate) && !gates.isEnabled(needed)) throw new Error(`${gate} feature requires ${needed} ${called} to be enabled`);
  return gates;
}

/** The lines of --help about the feature gates of the chosen release. @throws Error for an unknown release */
export const describedGates = (flags: ReleaseFlags): string[] => describeGates(featureGates, releaseOf(flags));
