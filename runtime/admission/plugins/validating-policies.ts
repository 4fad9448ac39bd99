/** ValidatingAdmissionPolicy: policies with expressions that requests have to meet, as bindings say. */
import type { AdmissionPlugin, PluginParts } from '../plugin-interface/plugin.ts';
import { ConfiguredPolicies } from '../policies/configured-policies.ts';
import type { ValidatingBindingSpec, ValidatingDispatcher } from '../policies/validating-dispatcher.ts';
import type { ValidatingSpec } from '../policies/validating-program.ts';

export function validatingPolicies(parts: PluginParts): AdmissionPlugin {
  let dispatcher: ValidatingDispatcher | undefined;
  // most servers never need what evaluates expressions
  const load = async (): Promise<ValidatingDispatcher> => {
    const loaded = await import('../policies/validating-dispatcher.ts');
    dispatcher ??= new loaded.ValidatingDispatcher(parts);
    return dispatcher;
  };
  const configured = new ConfiguredPolicies<ValidatingSpec, ValidatingBindingSpec>({
    policies: parts.followed('validatingadmissionpolicies'),
    bindings: parts.followed('validatingadmissionpolicybindings'),
  });
  return {
    validate(attributes) {
      const candidates = configured.candidates(attributes);
      if (candidates.length === 0) return;
      if (dispatcher !== undefined) return dispatcher.dispatch(candidates, attributes);
      return load().then((loaded) => loaded.dispatch(candidates, attributes));
    },
  };
}
