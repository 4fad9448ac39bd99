import type { ApiObject } from '../../contract/object.ts';
import type { AdmissionPlugin, PluginParts } from '../plugin-interface/plugin.ts';
import { onlyPods } from '../plugin-interface/refusal.ts';

interface Toleration {
  key?: string;
  operator?: string;
  value?: string;
  effect?: string;
  tolerationSeconds?: number;
}

/** A pod that does not say how long it stays on a node that is not ready, or cannot be reached, gets a toleration that does. */
export function defaultTolerationSeconds({
  identity,
  tolerationSeconds: { notReady, unreachable },
}: Pick<PluginParts, 'identity' | 'tolerationSeconds'>): AdmissionPlugin {
  const added: readonly (readonly [key: string, seconds: number])[] = [
    [identity.text('node.${labelDomain}/not-ready'), notReady],
    [identity.text('node.${labelDomain}/unreachable'), unreachable],
  ];
  return {
    concerns: onlyPods,
    mutate({ operation, resource, subresource, object }) {
      if (operation === 'delete' || subresource !== '' || object === undefined) return;
      if (resource.groupResource.group !== '' || resource.groupResource.resource !== 'pods') return;
      for (const [key, seconds] of added) tolerate(object, key, seconds);
    },
  };
}

function tolerate(pod: ApiObject, key: string, tolerationSeconds: number): void {
  const tolerations: Toleration[] = pod.spec?.tolerations ?? [];
  const covered = tolerations.some(
    ({ key: own = '', effect = '' }) => (own === key || own === '') && (effect === '' || effect === 'NoExecute'),
  );
  if (covered) return;
  pod.spec.tolerations = [...tolerations, { key, operator: 'Exists', effect: 'NoExecute', tolerationSeconds }];
}
