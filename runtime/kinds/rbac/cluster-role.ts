import type { ClusterRole } from '../../../generated/rbac/v1/types.ts';
import type { KindRules } from '../../contract/kind-rules.ts';
import { authorizeRole } from './escalation.ts';

export { isUsable } from '../../selectors/label-selector.ts';

export const rules: KindRules<ClusterRole> = { authorizeWrite: authorizeRole };
