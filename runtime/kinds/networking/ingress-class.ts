import type { KindRules } from '../../contract/kind.ts';

export const rules: KindRules = { changesFirst: true };
