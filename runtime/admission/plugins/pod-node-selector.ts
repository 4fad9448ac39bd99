/** Pods of a namespace run on nodes with certain labels alone: the annotation of the namespace says which, or the plugin's configuration. */
import { labelValue, qualifiedName } from '../../formats/labels.ts';
import { isObject } from '../../schema/json/member.ts';
import { newForbidden, newUnknown, type StatusError } from '../../status/status.ts';
import type { AdmissionPlugin, PluginParts } from '../plugin-interface/plugin.ts';
import { isPod } from '../plugin-interface/refusal.ts';
import type { AdmissionAttributes } from '../request/attributes.ts';

/** The name in the configuration of the selector for namespaces without one of their own. */
const CLUSTER_DEFAULT = 'clusterDefaultNodeSelector';
type Labels = Readonly<Record<string, string>>;

/** @throws Error for a configuration that is none */
export function podNodeSelector({ identity, objects, configuration }: PluginParts): AdmissionPlugin {
  const annotation = identity.text('scheduler.alpha.${labelDomain}/node-selector');
  const configured = configuredSelectors(configuration('PodNodeSelector'));
  const ofNamespace = (namespace: string): Labels => {
    const own = objects.shared('namespaces', '', namespace)?.metadata.annotations?.[annotation];
    // an empty one says that there are none
    return asked(own ?? configured.get(CLUSTER_DEFAULT) ?? '');
  };
  const admit = (attributes: AdmissionAttributes, isChanged: boolean): void => {
    const { operation, namespace, object } = attributes;
    if (operation !== 'create' || object === undefined || !isPod(attributes)) return;
    const wanted = ofNamespace(namespace);
    const own: Labels = object.spec.nodeSelector ?? {};
    if (Object.entries(own).some(([key, value]) => Object.hasOwn(wanted, key) && wanted[key] !== value))
      throw refused(attributes, 'pod node label selector conflicts with its namespace node label selector');
    const chosen = isChanged ? { ...wanted, ...own } : own;
    if (isChanged && Object.keys(chosen).length > 0) object.spec.nodeSelector = chosen;
    const allowed = asked(configured.get(namespace) ?? '');
    const isAllowed = Object.keys(allowed).length === 0 || Object.entries(chosen).every(([key, value]) => allowed[key] === value);
    if (!isAllowed) throw refused(attributes, 'pod node label selector labels conflict with its namespace whitelist');
  };
  return { mutate: (attributes) => admit(attributes, true), validate: (attributes) => admit(attributes, false) };
}

/** Makes the refusal, with the pod's own name. As in 1.32, a pod whose name is generated later has none. */
function refused({ resource, object }: AdmissionAttributes, cause: string): StatusError {
  return newForbidden(resource.groupResource, object?.metadata?.name ?? '', cause);
}

/**
 * As in 1.32 a selector that is wrong is told to whoever makes a pod that it is for, whether it stands in the configuration or in an annotation.
 * @throws StatusError
 */
function asked(selector: string): Labels {
  try {
    return labelsOf(selector);
  } catch (error) {
    throw newUnknown((error as Error).message);
  }
}

/** Takes the selectors of the configuration. @returns them as they are written, by namespaces. @throws Error if the configuration is malformed */
function configuredSelectors(given: unknown): ReadonlyMap<string, string> {
  if (given === undefined) return new Map();
  const selectors = isObject(given) ? given.podNodeSelectorPluginConfig : undefined;
  if (!isObject(selectors)) throw new Error('PodNodeSelector: podNodeSelectorPluginConfig is to be an object of selectors by namespaces');
  return new Map(Object.entries(selectors).map(([namespace, text]) => [namespace, String(text)]));
}

/** `a=b,c=d`. @throws Error worded as in 1.32 */
function labelsOf(text: string): Labels {
  return text === '' ? {} : Object.fromEntries(text.split(',').map(labelOf));
}

function labelOf(text: string): [key: string, value: string] {
  const parts = text.split('=');
  if (parts.length !== 2) throw new Error(`invalid selector: [${parts.join(' ')}]`);
  const [key, value] = parts.map((part) => part.trim()) as [string, string];
  requireNone(qualifiedName(key), '<nil>', key);
  requireNone(labelValue(value), `[${key}]`, value);
  return [key, value];
}

function requireNone(problems: readonly string[], place: string, value: string): void {
  if (problems.length > 0) throw new Error(`${place}: Invalid value: ${JSON.stringify(value)}: ${problems.join('; ')}`);
}
