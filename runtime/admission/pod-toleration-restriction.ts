/** What pods of a namespace tolerate, as its annotations say, or the plugin's configuration where it has none. */
import type { Toleration } from '../../generated/core/v1/types.ts';
import { qosClassOf } from '../kinds/core/pod-qos.ts';
import { isObject } from '../schema/member.ts';
import { parseNativeJson } from '../schema/native-json.ts';
import { newUnknown } from '../status/status.ts';
import type { AdmissionPlugin, PluginParts } from './plugin.ts';
import { isPod } from './refusal.ts';
import type { AdmissionAttributes } from './request/attributes.ts';
import { covers, mergedTolerations } from './tolerations.ts';

type Tolerations = readonly Toleration[];

/** @throws Error for a configuration that is none */
export function podTolerationRestriction({ identity: { text }, objects, configuration }: PluginParts): AdmissionPlugin {
  const configured = configuredTolerations(configuration('PodTolerationRestriction'));
  const ofNamespace = (namespace: string, annotation: string): Tolerations | undefined =>
    annotated(objects.shared('namespaces', '', namespace)?.metadata.annotations?.[annotation], annotation);
  const [defaults, whitelist] = ['defaultTolerations', 'tolerationsWhitelist'].map((name) =>
    text(`scheduler.alpha.\${labelDomain}/${name}`),
  );
  const pressure: Toleration = { key: text('node.${labelDomain}/memory-pressure'), operator: 'Exists', effect: 'NoSchedule' };

  function restrict({ namespace }: AdmissionAttributes, tolerations: Tolerations): void {
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
      const merged = operation === 'create' ? mergedTolerations(first, given) : [...given];
      const all = qosClassOf(object.spec) === 'BestEffort' ? merged : mergedTolerations(merged, [pressure]);
      if (all.length > 0) object.spec.tolerations = all;
      restrict(attributes, all);
    },
    validate(attributes) {
      if (isLookedAt(attributes)) restrict(attributes, attributes.object?.spec.tolerations ?? []);
    },
  };
}

/** An empty annotation says nothing, an empty list that there are none. @throws StatusError */
function annotated(text: string | undefined, annotation: string): Tolerations | undefined {
  if (text === undefined || text === '') return undefined;
  const wrong = (problem: string) => newUnknown(`the annotation ${annotation} of the namespace is no list of tolerations: ${problem}`);
  let tolerations: unknown;
  try {
    tolerations = parseNativeJson(text);
  } catch (error) {
    throw wrong((error as Error).message);
  }
  if (!Array.isArray(tolerations) || !tolerations.every(isObject)) throw wrong('it holds something else');
  return tolerations as Tolerations;
}

/** @throws Error */
function configuredTolerations(given: unknown): { readonly default: Tolerations; readonly whitelist: Tolerations } {
  const { default: defaults = [], whitelist = [] } = isObject(given) ? given : {};
  if (!Array.isArray(defaults) || !Array.isArray(whitelist) || ![...defaults, ...whitelist].every(isObject))
    throw new Error('PodTolerationRestriction: default and whitelist are to be lists of tolerations');
  return { default: defaults, whitelist };
}
