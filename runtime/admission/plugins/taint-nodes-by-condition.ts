import type { Identity } from '../../contract/identity.ts';
import type { AdmissionPlugin } from '../plugin-interface/plugin.ts';
import { only } from '../plugin-interface/refusal.ts';

/** A new node takes no pods until it has said that it is ready. */
export function taintNodesByCondition(identity: Identity): AdmissionPlugin {
  const key = identity.text('node.${labelDomain}/not-ready');
  return {
    concerns: only('', 'nodes'),
    mutate({ operation, resource, subresource, object }) {
      if (operation !== 'create' || subresource !== '' || object === undefined) return;
      if (resource.groupResource.group !== '' || resource.groupResource.resource !== 'nodes') return;
      const taints: { key: string; effect: string }[] = object.spec?.taints ?? [];
      if (taints.some((taint) => taint.key === key && taint.effect === 'NoSchedule')) return;
      object.spec = { ...object.spec, taints: [...taints, { key, effect: 'NoSchedule' }] };
    },
  };
}
