import type { PodAffinityTerm } from '../../../generated/core/v1/types.ts';
import type { AdmissionPlugin, PluginParts } from '../plugin-interface/plugin.ts';
import { forbidden, isPod } from '../plugin-interface/refusal.ts';

/** No pod may keep others away from more than its node: a term over a zone could shut all others out of it. */
export function limitPodHardAntiAffinityTopology({ identity }: PluginParts): AdmissionPlugin {
  const hostname = identity.text('${labelDomain}/hostname');
  return {
    validate(attributes) {
      const { operation, object } = attributes;
      if ((operation !== 'create' && operation !== 'update') || !isPod(attributes)) return;
      const terms: readonly PodAffinityTerm[] =
        object?.spec.affinity?.podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [];
      const wide = terms.find(({ topologyKey }) => topologyKey !== hostname);
      if (wide === undefined) return;
      throw forbidden(
        attributes,
        `affinity.PodAntiAffinity.RequiredDuringScheduling has TopologyKey ${wide.topologyKey} but only key ${hostname} is allowed`,
      );
    },
  };
}
