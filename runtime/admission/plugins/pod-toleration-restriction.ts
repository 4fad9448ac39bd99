/** What pods of a namespace tolerate, as its annotations say, or the plugin's configuration where it has none. */
import type { Toleration } from '../../../generated/core/v1/types.ts';
import type { PodTolerationRestrictionConfiguration } from '../../../generated/podtolerationrestriction/v1alpha1/types.ts';
import { type ElementType, listOf } from '../../kinds/core/json-annotation.ts';
import { qosClassOf } from '../../kinds/core/pods/pod-qos.ts';
import { newUnknown } from '../../status/status.ts';
import type { AdmissionPlugin, PluginParts } from '../plugin-interface/plugin.ts';
import { isPod } from '../plugin-interface/refusal.ts';
import type { AdmissionAttributes } from '../request/attributes.ts';
import { covers, mergedTolerations } from './tolerations.ts';

type Tolerations = readonly Toleration[];

const TOLERATION: ElementType = {
  name: 'Toleration',
  version: 'v1',
  members: { key: 'string', operator: 'string', value: 'string', effect: 'string', tolerationSeconds: 'number' },
};

export function podTolerationRestriction({ identity: { text }, objects, configuration, featureEnabled }: PluginParts): AdmissionPlugin {
  const given = configuration('PodTolerationRestriction') as PodTolerationRestrictionConfiguration | undefined;
  const configured = { default: given?.default ?? [], whitelist: given?.whitelist ?? [] };
  const ofNamespace = (namespace: string, annotation: string): Tolerations | undefined =>
    annotated(objects.shared('namespaces', '', namespace)?.metadata.annotations?.[annotation]);
  const [defaults, whitelist] = ['defaultTolerations', 'tolerationsWhitelist'].map((name) =>
    text(`scheduler.alpha.\${labelDomain}/${name}`),
  );
  const pressure: Toleration = { key: text('node.${labelDomain}/memory-pressure'), operator: 'Exists', effect: 'NoSchedule' };

  function restrict({ namespace }: AdmissionAttributes, tolerations: Tolerations): void {
    // who tolerates nothing needs no leave, whatever the annotation says
    if (tolerations.length === 0) return;
    const own = ofNamespace(namespace, whitelist as string);
    const allowed = own ?? configured.whitelist;
    if (allowed.length === 0 || tolerations.every((toleration) => allowed.some((wide) => covers(wide, toleration)))) return;
    const scope = own === undefined ? 'cluster' : 'namespace';
    throw newUnknown(`pod tolerations (possibly merged with namespace default tolerations) conflict with its ${scope} whitelist`);
  }

  const isLookedAt = (attributes: AdmissionAttributes): boolean =>
    (attributes.operation === 'create' || attributes.operation === 'update') && isPod(attributes);
  return {
    mutate(attributes) {
      const { operation, namespace, object } = attributes;
      if (!isLookedAt(attributes) || object === undefined) return;
      const given: Tolerations = object.spec.tolerations ?? [];
      const first = operation === 'create' ? (ofNamespace(namespace, defaults as string) ?? configured.default) : [];
      // what the pod says of its class counts, as in 1.32
      const isBestEffort = (object.status?.qosClass || qosClassOf(object.spec, { featureEnabled })) === 'BestEffort';
      const added = isBestEffort ? first : [...first, pressure];
      if (added.length > 0) object.spec.tolerations = mergedTolerations(given, added);
      restrict(attributes, object.spec.tolerations ?? []);
    },
    validate(attributes) {
      if (isLookedAt(attributes)) restrict(attributes, attributes.object?.spec.tolerations ?? []);
    },
  };
}

/** An empty annotation says that there are none, as an empty list does. @throws StatusError */
function annotated(text: string | undefined): Tolerations | undefined {
  if (text === undefined) return undefined;
  try {
    return text === '' ? [] : (listOf(text, TOLERATION) as unknown as Tolerations);
  } catch (error) {
    // the annotation is the user's, and so is the mistake
    throw newUnknown((error as Error).message);
  }
}
