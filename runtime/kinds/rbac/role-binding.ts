import type { Identity } from '../../contract/identity.ts';
import type { KindRules } from '../../contract/kind.ts';
import { bindingRules } from './binding.ts';

/** Grants the rights of a Role, or of a ClusterRole, in one namespace. */
export function rules(identity: Identity): KindRules {
  return bindingRules(identity, { namespaced: true, roleKinds: ['Role', 'ClusterRole'] });
}
