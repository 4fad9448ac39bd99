/** Rules that came after a definition was stored do not refuse its updates: which of them an update must keep. */
import type { ApiObject } from '../../contract/object.ts';
import type { Struct } from '../struct.ts';
import { ACCEPTED_REVIEW_VERSIONS } from './definition-conversion.ts';

export interface Strictness {
  /** a conversion webhook must understand a version of the review that the server speaks */
  readonly knownReviewVersion: boolean;
  readonly needsSchema: boolean;
  readonly validTypes: boolean;
  readonly atomicSets: boolean;
  readonly mapKeys: boolean;
}

export const STRICT: Strictness = { knownReviewVersion: true, needsSchema: true, validTypes: true, atomicSets: true, mapKeys: true };

export function strictnessAfter({ spec }: ApiObject): Strictness {
  const schemas: Struct[] = (spec.versions ?? []).flatMap(({ schema }: Struct) => schema?.openAPIV3Schema ?? []);
  const known: string[] = spec.conversion?.webhook?.conversionReviewVersions ?? [];
  return {
    ...STRICT,
    knownReviewVersion: known.length === 0 || known.some((version) => ACCEPTED_REVIEW_VERSIONS.includes(version)),
    needsSchema: schemas.length === (spec.versions ?? []).length,
  };
}
