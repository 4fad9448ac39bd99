import type { Role } from '../../../generated/rbac/v1/types.ts';
import type { KindRules } from '../../contract/kind-rules.ts';
import { authorizeRole } from './escalation.ts';

export const rules: KindRules<Role> = { authorizeWrite: authorizeRole };
