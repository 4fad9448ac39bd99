/** Pods carry the zone and the region of their node as labels of their own, from when they are bound to it (KEP-4742; a gate of release 1.33). */
import type { ApiObject } from '../../contract/object.ts';
import type { AdmissionPlugin, PluginParts } from '../plugin-interface/plugin.ts';
import { onlyPods } from '../plugin-interface/refusal.ts';

export function podTopologyLabels({ identity, objects, featureEnabled }: PluginParts): AdmissionPlugin {
  const isOn = featureEnabled('PodTopologyLabelsAdmission');
  const keys = ['zone', 'region'].map((name) => identity.text(`topology.\${labelDomain}/${name}`));
  if (!isOn) return {};
  return {
    concerns: onlyPods,
    mutate({ operation, resource, subresource, object }) {
      const { group, resource: name } = resource.groupResource;
      if (operation !== 'create' || group !== '' || name !== 'pods' || object === undefined) return;
      const node = subresource === 'binding' ? boundNode(object) : subresource === '' ? object.spec.nodeName : undefined;
      if (!node) return;
      const given = objects.shared('nodes', '', node)?.metadata.labels ?? {};
      const copied = keys.filter((key) => given[key] !== undefined && object.metadata.labels?.[key] === undefined);
      if (copied.length === 0) return;
      object.metadata.labels = { ...object.metadata.labels, ...Object.fromEntries(copied.map((key) => [key, given[key] as string])) };
    },
  };
}

/** Returns the name of the node that a binding names; undefined if it names something else. */
const boundNode = ({ target }: ApiObject): string | undefined => (target.kind === 'Node' ? target.name : undefined);
