import type { KindRules } from '../../contract/kind.ts';

export const rules: KindRules = {
  /** Whether the account keeps its pods to the secrets that it lists is an annotation; the list holds names without owners. */
  validate: () => [],
};
