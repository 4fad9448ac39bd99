import type { Identity } from '../contract/identity.ts';
import type { ApiObject } from '../contract/object.ts';
import type { AdmissionPlugin } from './plugin.ts';

/** How long a pod stays on a node that is not ready or cannot be reached, where it does not say. */
const SECONDS = 300;

interface Toleration {
  key?: string;
  operator?: string;
  value?: string;
  effect?: string;
  tolerationSeconds?: number;
}

export function defaultTolerationSeconds(identity: Identity): AdmissionPlugin {
  const keys = [identity.text('node.${labelDomain}/not-ready'), identity.text('node.${labelDomain}/unreachable')];
  return {
    mutate({ operation, resource, subresource, object }) {
      if (operation === 'delete' || subresource !== '' || object === undefined) return;
      if (resource.groupResource.group !== '' || resource.groupResource.resource !== 'pods') return;
      for (const key of keys) tolerate(object, key);
    },
  };
}

function tolerate(pod: ApiObject, key: string): void {
  const tolerations: Toleration[] = pod.spec?.tolerations ?? [];
  const covered = tolerations.some(
    (toleration) =>
      ((toleration.key ?? '') === key || (toleration.key ?? '') === '') && ['', 'NoExecute'].includes(toleration.effect ?? ''),
  );
  if (covered) return;
  pod.spec.tolerations = [...tolerations, { key, operator: 'Exists', effect: 'NoExecute', tolerationSeconds: SECONDS }];
}
