import type { PodSpec, Toleration } from '../../../generated/core/v1/types.ts';
import { isExtendedResource } from '../../formats/resource-names.ts';
import type { AdmissionPlugin, PluginParts } from '../plugin-interface/plugin.ts';
import { isPod } from '../plugin-interface/refusal.ts';

/** Pods that ask for a device tolerate the taint that keeps others off the nodes that have it. */
export function extendedResourceToleration({ identity }: PluginParts): AdmissionPlugin {
  const domain = identity.text('${labelDomain}');
  const isExtended = (name: string): boolean => isExtendedResource(name, domain);
  return {
    mutate(attributes) {
      const { operation, object } = attributes;
      if ((operation !== 'create' && operation !== 'update') || !isPod(attributes)) return;
      const spec = object?.spec as PodSpec;
      const containers = [...(spec.containers ?? []), ...(spec.initContainers ?? [])];
      const names = new Set(containers.flatMap(({ resources }) => Object.keys(resources?.requests ?? {}).filter(isExtended)));
      for (const key of [...names].sort()) tolerate(spec, { key, operator: 'Exists', effect: 'NoSchedule' });
    },
  };
}

function tolerate(spec: PodSpec, wanted: Toleration): void {
  const tolerations = spec.tolerations ?? [];
  const isWanted = ({ key, operator, effect, value }: Toleration): boolean =>
    key === wanted.key && operator === wanted.operator && effect === wanted.effect && !value;
  // one that ends gives way to one that does not
  spec.tolerations = tolerations.some(isWanted)
    ? tolerations.map((toleration) => (isWanted(toleration) ? wanted : toleration))
    : [...tolerations, wanted];
}
