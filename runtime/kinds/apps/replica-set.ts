import type { KindRules } from '../../contract/kind-rules.ts';
import { nameWarnings } from '../core/name-warnings.ts';
import { templateWarnings } from './workload.ts';

export const rules: KindRules = {
  warnings: (object, old, context) => [...nameWarnings(object, old), ...templateWarnings(object, old, context)],
};
