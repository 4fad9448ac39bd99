/** Which nodes and which other pods a pod wants to be with, or away from. */
import { type FieldError, forbidden, invalid, required } from '../../contract/field-error.ts';
import { validateLabelName, validateLabelSelector } from '../metadata/labels.ts';
import { dnsLabel } from '../metadata/names.ts';
import type { Struct } from '../struct.ts';
import { eachItem, invalidAs } from './findings.ts';
import { validateNodeSelector, validateNodeSelectorTerm } from './node-selector.ts';

const REQUIRED = 'requiredDuringSchedulingIgnoredDuringExecution';
const PREFERRED = 'preferredDuringSchedulingIgnoredDuringExecution';

export function validateAffinity(affinity: Struct, path: string): FieldError[] {
  if (affinity === undefined) return [];
  const { nodeAffinity, podAffinity, podAntiAffinity } = affinity;
  return [
    ...(nodeAffinity === undefined ? [] : validateNodeAffinity(nodeAffinity, `${path}.nodeAffinity`)),
    ...(podAffinity === undefined ? [] : validatePodAffinity(podAffinity, `${path}.podAffinity`)),
    ...(podAntiAffinity === undefined ? [] : validatePodAffinity(podAntiAffinity, `${path}.podAntiAffinity`)),
  ];
}

function validateNodeAffinity(affinity: Struct, path: string): FieldError[] {
  return [
    ...(affinity[REQUIRED] === undefined ? [] : validateNodeSelector(affinity[REQUIRED], `${path}.${REQUIRED}`, false)),
    ...eachItem(affinity[PREFERRED] as readonly Struct[] | undefined, `${path}.${PREFERRED}`, ({ weight, preference }, at) => [
      ...validateWeight(weight, at),
      ...validateNodeSelectorTerm(preference, `${at}.preference`, false),
    ]),
  ];
}

function validateWeight(weight: number | undefined, path: string): FieldError[] {
  const value = weight ?? 0;
  return value >= 1 && value <= 100 ? [] : [invalid(`${path}.weight`, value, 'must be in the range 1-100')];
}

function validatePodAffinity(affinity: Struct, path: string): FieldError[] {
  return [
    ...eachItem(affinity[REQUIRED] as readonly Struct[] | undefined, `${path}.${REQUIRED}`, validatePodTerm),
    ...eachItem(affinity[PREFERRED] as readonly Struct[] | undefined, `${path}.${PREFERRED}`, ({ weight, podAffinityTerm }, at) => [
      ...validateWeight(weight, at),
      ...validatePodTerm(podAffinityTerm ?? {}, `${at}.podAffinityTerm`),
    ]),
  ];
}

function validatePodTerm(term: Struct, path: string): FieldError[] {
  const { topologyKey = '' } = term;
  return [
    ...validateLabelSelector(term.labelSelector, `${path}.labelSelector`),
    ...validateLabelSelector(term.namespaceSelector, `${path}.namespaceSelector`),
    ...((term.namespaces ?? []) as readonly string[]).flatMap((name) => invalidAs(dnsLabel(name), `${path}.namespace`, name)),
    ...validateKeys(term, path),
    ...(topologyKey === '' ? [required(`${path}.topologyKey`, 'can not be empty')] : []),
    ...validateLabelName(topologyKey, `${path}.topologyKey`),
  ];
}

/** Keys whose values are taken from the pod's own labels. By now those to match stand in the selector too, once. */
function validateKeys({ matchLabelKeys, mismatchLabelKeys, labelSelector }: Struct, path: string): FieldError[] {
  const matched: readonly string[] = matchLabelKeys ?? [];
  const mismatched: readonly string[] = mismatchLabelKeys ?? [];
  return [
    ...validateKeyNames(matched, labelSelector, `${path}.matchLabelKeys`),
    ...validateKeyNames(mismatched, labelSelector, `${path}.mismatchLabelKeys`),
    ...repeatedKeys(matched, labelSelector).map((key) =>
      invalid(`${path}[${matched.lastIndexOf(key)}]`, key, 'exists in both matchLabelKeys and labelSelector'),
    ),
    ...eachItem(matched, `${path}.matchLabelKeys`, (key, at) =>
      mismatched.includes(key) ? [invalid(at, key, 'exists in both matchLabelKeys and mismatchLabelKeys')] : [],
    ),
  ];
}

function validateKeyNames(keys: readonly string[], selector: Struct, path: string): FieldError[] {
  if (keys.length === 0) return [];
  if (selector === undefined) return [forbidden(path, 'must not be specified when labelSelector is not set')];
  return eachItem(keys, path, validateLabelName);
}

/** Keys to match that the selector names more than once. */
function repeatedKeys(keys: readonly string[], selector: Struct): string[] {
  const seen = new Set(Object.keys(selector?.matchLabels ?? {}));
  const repeated: string[] = [];
  for (const { key } of (selector?.matchExpressions ?? []) as readonly Struct[]) {
    if (keys.includes(key) && seen.has(key)) repeated.push(key);
    seen.add(key);
  }
  return repeated;
}
