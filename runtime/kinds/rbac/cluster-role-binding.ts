import type { Identity } from '../../contract/identity.ts';
import type { KindRules } from '../../contract/kind.ts';
import { bindingRules } from './binding.ts';

/** Grants the rights of a ClusterRole in all namespaces and outside them. */
export function rules(identity: Identity): KindRules {
  return bindingRules(identity, { namespaced: false, roleKinds: ['ClusterRole'] });
}
