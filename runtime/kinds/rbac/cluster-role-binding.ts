import type { ClusterRoleBinding } from '../../../generated/rbac/v1/types.ts';
import type { KindRules } from '../../contract/kind-rules.ts';
import { authorizeBinding } from './escalation.ts';

/** Grants the rights of a ClusterRole in all namespaces and outside them. */
export const rules: KindRules<ClusterRoleBinding> = { authorizeWrite: authorizeBinding };
