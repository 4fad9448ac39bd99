import type { KindRules } from '../../contract/kind-rules.ts';

export const rules: KindRules = { changesFirst: true };
