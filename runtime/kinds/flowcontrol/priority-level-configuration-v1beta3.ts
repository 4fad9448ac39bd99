/**
 * Levels in v1beta3. A limited level without shares has the default number of them there, as if nothing were said; v1 can say 0. An annotation,
 * which levels have in v1beta3 alone, tells that 0 is meant.
 */
import type { Identity } from '../../contract/identity.ts';
import type { ConversionFunctions } from '../../contract/kind.ts';
import type { KindRules } from '../../contract/kind-rules.ts';

const DEFAULT_SHARES = 30;
const annotationOf = (identity: Identity): string => identity.text('flowcontrol.${groupDomain}/v1beta3-preserve-zero-concurrency-shares');

export function rules(identity: Identity): KindRules {
  const annotation = annotationOf(identity);
  return {
    defaults({ metadata, spec }) {
      const limited = spec?.limited;
      if (limited === undefined || (limited.nominalConcurrencyShares ?? 0) !== 0) return;
      if (metadata.annotations === undefined || !(annotation in metadata.annotations)) limited.nominalConcurrencyShares = DEFAULT_SHARES;
    },
  };
}

export function conversion(identity: Identity): ConversionFunctions {
  const annotation = annotationOf(identity);
  return {
    toHub(level) {
      const { annotations } = level.metadata;
      if (annotations === undefined || !(annotation in annotations)) return level;
      const { [annotation]: _meant, ...kept } = annotations;
      if (Object.keys(kept).length === 0) delete level.metadata.annotations;
      else level.metadata.annotations = kept;
      return level;
    },
    fromHub(level) {
      if (level.spec?.limited?.nominalConcurrencyShares === 0)
        level.metadata.annotations = { ...level.metadata.annotations, [annotation]: '' };
      return level;
    },
  };
}
