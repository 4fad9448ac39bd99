/** Rules that came after a definition was stored do not refuse its updates: which of them an update must keep. */
import type { CustomResourceDefinitionSpec } from '../../../generated/apiextensions/v1/types.ts';

export interface Strictness {
  /** a conversion webhook must understand a version of the review that the server speaks */
  readonly knownReviewVersion: boolean;
  readonly needsSchema: boolean;
  readonly validTypes: boolean;
  readonly atomicSets: boolean;
  readonly mapKeys: boolean;
}

const STRICT: Strictness = { knownReviewVersion: true, needsSchema: true, validTypes: true, atomicSets: true, mapKeys: true };

export const REVIEW_VERSIONS: readonly string[] = ['v1', 'v1beta1'];

/** @param spec the stored one; undefined for a new definition */
export function strictnessAfter(spec: CustomResourceDefinitionSpec | undefined): Strictness {
  if (spec === undefined) return STRICT;
  const schemas = (spec.versions ?? []).flatMap(({ schema }) => schema?.openAPIV3Schema ?? []);
  const known = spec.conversion?.webhook?.conversionReviewVersions ?? [];
  return {
    ...STRICT,
    knownReviewVersion: known.length === 0 || known.some((version) => REVIEW_VERSIONS.includes(version)),
    needsSchema: schemas.length === (spec.versions ?? []).length,
  };
}
