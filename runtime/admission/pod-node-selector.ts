/** Pods of a namespace run on nodes with certain labels alone: the annotation of the namespace says which, or the plugin's configuration. */
import { isObject } from '../schema/member.ts';
import { newUnknown } from '../status/status.ts';
import type { AdmissionPlugin, PluginParts } from './plugin.ts';
import { forbidden, isPod } from './refusal.ts';
import type { AdmissionAttributes } from './request/attributes.ts';

/** In the configuration: of namespaces without a selector of their own. */
const CLUSTER_DEFAULT = 'clusterDefaultNodeSelector';
type Labels = Readonly<Record<string, string>>;

/** @throws Error for a configuration that is none */
export function podNodeSelector({ identity, objects, configuration }: PluginParts): AdmissionPlugin {
  const annotation = identity.text('scheduler.alpha.${labelDomain}/node-selector');
  const configured = configuredSelectors(configuration('PodNodeSelector'));
  const ofNamespace = (namespace: string): Labels => {
    const own = objects.shared('namespaces', '', namespace)?.metadata.annotations?.[annotation];
    if (own === undefined || own === '') return configured.get(CLUSTER_DEFAULT) ?? {};
    try {
      return labelsOf(own, `the annotation ${annotation} of the namespace`);
    } catch (error) {
      // the annotation is the user's, and so is the mistake
      throw newUnknown((error as Error).message);
    }
  };
  const admit = (attributes: AdmissionAttributes, isChanged: boolean): void => {
    const { operation, namespace, object } = attributes;
    if (operation !== 'create' || object === undefined || !isPod(attributes)) return;
    const wanted = ofNamespace(namespace);
    const own: Labels = object.spec.nodeSelector ?? {};
    if (Object.entries(own).some(([key, value]) => wanted[key] !== undefined && wanted[key] !== value))
      throw forbidden(attributes, 'pod node label selector conflicts with its namespace node label selector');
    const merged = { ...wanted, ...own };
    if (isChanged && Object.keys(merged).length > 0) object.spec.nodeSelector = merged;
    const allowed = configured.get(namespace) ?? {};
    const isAllowed = Object.keys(allowed).length === 0 || Object.entries(merged).every(([key, value]) => allowed[key] === value);
    if (!isAllowed) throw forbidden(attributes, 'pod node label selector labels conflict with its namespace whitelist');
  };
  return { mutate: (attributes) => admit(attributes, true), validate: (attributes) => admit(attributes, false) };
}

/** By namespaces. @throws Error */
function configuredSelectors(given: unknown): ReadonlyMap<string, Labels> {
  if (given === undefined) return new Map();
  const selectors = isObject(given) ? given.podNodeSelectorPluginConfig : undefined;
  if (!isObject(selectors)) throw new Error('PodNodeSelector: podNodeSelectorPluginConfig is to be an object of selectors by namespaces');
  return new Map(Object.entries(selectors).map(([namespace, text]) => [namespace, labelsOf(String(text), namespace)]));
}

/** `a=b,c=d`. @throws Error */
function labelsOf(text: string, place: string): Labels {
  const parts = text.split(',').map((part) => part.trim());
  return Object.fromEntries(
    parts
      .filter((part) => part !== '')
      .map((part) => {
        const [key = '', value, ...more] = part.split('=');
        if (value === undefined || more.length > 0) throw new Error(`${place}: invalid selector: ${text}`);
        return [key.trim(), value.trim()];
      }),
  );
}
