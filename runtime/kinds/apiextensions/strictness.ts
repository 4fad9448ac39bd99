/** Rules that came after a definition was stored do not refuse its updates: which of them a definition must keep. */
import { type EnvironmentOf, newRules } from '../../structural-schema/rules/rule-environments.ts';

export interface Strictness {
  /** a conversion webhook must understand a version of the review that the server speaks */
  readonly knownReviewVersion: boolean;
  /** certificates in which a conversion webhook is trusted can be read */
  readonly readableAuthorities: boolean;
  readonly needsSchema: boolean;
  readonly structural: boolean;
  /** there may be some */
  readonly defaults: boolean;
  readonly prunedDefaults: boolean;
  readonly validTypes: boolean;
  readonly atomicSets: boolean;
  readonly mapKeys: boolean;
  /** which libraries an expression of a rule may use */
  readonly ruleEnvironment: EnvironmentOf;
}

/** of new definitions */
export const STRICT: Strictness = {
  knownReviewVersion: true,
  // Nothing is converted before a definition is established.
  readableAuthorities: false,
  needsSchema: true,
  structural: true,
  defaults: true,
  prunedDefaults: true,
  validTypes: true,
  atomicSets: true,
  mapKeys: true,
  ruleEnvironment: newRules,
};

/** of new ones that are written in v1beta1, which asked for less. @param structural whether they cannot do without structural schemas */
export function strictnessOfV1beta1(structural: boolean): Strictness {
  return { ...STRICT, needsSchema: false, structural, defaults: false, validTypes: false };
}

export const REVIEW_VERSIONS: readonly string[] = ['v1', 'v1beta1'];
