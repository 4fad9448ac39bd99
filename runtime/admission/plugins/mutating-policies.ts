/** MutatingAdmissionPolicy: policies with expressions that change objects, as bindings say. Off without its gate. */

import type { MutatingBindingSpec, MutatingPolicyDispatcher } from '../mutating-policies/mutating-policy-dispatcher.ts';
import type { MutatingSpec } from '../mutating-policies/mutating-program.ts';
import type { AdmissionPlugin, PluginParts } from '../plugin-interface/plugin.ts';
import { ConfiguredPolicies } from '../policies/configured-policies.ts';
import { Rounds } from '../request/rounds.ts';

export function mutatingPolicies(parts: PluginParts): AdmissionPlugin {
  if (!parts.featureEnabled('MutatingAdmissionPolicy')) return {};
  let dispatcher: MutatingPolicyDispatcher | undefined;
  const load = async (): Promise<MutatingPolicyDispatcher> => {
    const loaded = await import('../mutating-policies/mutating-policy-dispatcher.ts');
    dispatcher ??= new loaded.MutatingPolicyDispatcher(parts);
    return dispatcher;
  };
  const configured = new ConfiguredPolicies<MutatingSpec, MutatingBindingSpec>({
    policies: parts.followed('mutatingadmissionpolicies'),
    bindings: parts.followed('mutatingadmissionpolicybindings'),
  });
  return {
    mutate(attributes, rounds = new Rounds()) {
      // there is nothing to change of what goes
      if (attributes.operation === 'delete') return;
      const candidates = configured.candidates(attributes);
      if (candidates.length === 0) return;
      if (dispatcher !== undefined) return dispatcher.dispatch(candidates, attributes, rounds);
      return load().then((loaded) => loaded.dispatch(candidates, attributes, rounds));
    },
  };
}
