import type { RoleBinding } from '../../../generated/rbac/v1/types.ts';
import type { KindRules } from '../../contract/kind-rules.ts';
import { authorizeBinding } from './escalation.ts';

/** Grants the rights of a Role, or of a ClusterRole, in one namespace. */
export const rules: KindRules<RoleBinding> = { authorizeWrite: authorizeBinding };
