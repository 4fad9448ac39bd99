/** Which nodes and which other pods a pod wants to be with, or away from. */

import { type FieldError, forbidden, invalid, required } from '../../contract/field-error.ts';
import { dnsLabel } from '../../formats/names.ts';
import { joined, NONE } from '../joined.ts';
import { validateLabelName, validateLabelSelector } from '../metadata/labels.ts';
import type { Struct } from '../struct.ts';
import { eachItem, invalidAs } from './findings.ts';
import { validateNodeSelector, validateNodeSelectorTerm } from './node-selector.ts';

const REQUIRED = 'requiredDuringSchedulingIgnoredDuringExecution';
const PREFERRED = 'preferredDuringSchedulingIgnoredDuringExecution';

export function validateAffinity(affinity: Struct, path: string): readonly FieldError[] {
  if (affinity === undefined) return NONE;
  const { nodeAffinity, podAffinity, podAntiAffinity } = affinity;
  return joined(
    nodeAffinity === undefined ? NONE : validateNodeAffinity(nodeAffinity, `${path}.nodeAffinity`),
    podAffinity === undefined ? NONE : validatePodAffinity(podAffinity, `${path}.podAffinity`),
    podAntiAffinity === undefined ? NONE : validatePodAffinity(podAntiAffinity, `${path}.podAntiAffinity`),
  );
}

function validateNodeAffinity(affinity: Struct, path: string): readonly FieldError[] {
  return joined(
    affinity[REQUIRED] === undefined ? NONE : validateNodeSelector(affinity[REQUIRED], `${path}.${REQUIRED}`, false),
    eachItem(affinity[PREFERRED] as readonly Struct[] | undefined, `${path}.${PREFERRED}`, ({ weight, preference }, at) =>
      joined(validateWeight(weight, at), validateNodeSelectorTerm(preference, `${at}.preference`, false)),
    ),
  );
}

function validateWeight(weight: number | undefined, path: string): readonly FieldError[] {
  const value = weight ?? 0;
  return value >= 1 && value <= 100 ? NONE : [invalid(`${path}.weight`, value, 'must be in the range 1-100')];
}

function validatePodAffinity(affinity: Struct, path: string): readonly FieldError[] {
  return joined(
    eachItem(affinity[REQUIRED] as readonly Struct[] | undefined, `${path}.${REQUIRED}`, validatePodTerm),
    eachItem(affinity[PREFERRED] as readonly Struct[] | undefined, `${path}.${PREFERRED}`, ({ weight, podAffinityTerm }, at) =>
      joined(validateWeight(weight, at), validatePodTerm(podAffinityTerm ?? {}, `${at}.podAffinityTerm`)),
    ),
  );
}

function validatePodTerm(term: Struct, path: string): readonly FieldError[] {
  const { topologyKey = '' } = term;
  return joined(
    validateLabelSelector(term.labelSelector, `${path}.labelSelector`),
    validateLabelSelector(term.namespaceSelector, `${path}.namespaceSelector`),
    ((term.namespaces ?? []) as readonly string[]).flatMap((name) => invalidAs(dnsLabel(name), `${path}.namespace`, name)),
    validateKeys(term, path),
    topologyKey === '' ? [required(`${path}.topologyKey`, 'can not be empty')] : NONE,
    validateLabelName(topologyKey, `${path}.topologyKey`),
  );
}

/** Keys whose values are taken from the pod's own labels. By now those to match stand in the selector too, once. */
function validateKeys({ matchLabelKeys, mismatchLabelKeys, labelSelector }: Struct, path: string): readonly FieldError[] {
  const matched: readonly string[] = matchLabelKeys ?? [];
  const mismatched: readonly string[] = mismatchLabelKeys ?? [];
  return joined(
    validateKeyNames(matched, labelSelector, `${path}.matchLabelKeys`),
    validateKeyNames(mismatched, labelSelector, `${path}.mismatchLabelKeys`),
    repeatedKeys(matched, labelSelector).map((key) =>
      invalid(`${path}[${matched.lastIndexOf(key)}]`, key, 'exists in both matchLabelKeys and labelSelector'),
    ),
    eachItem(matched, `${path}.matchLabelKeys`, (key, at) =>
      mismatched.includes(key) ? [invalid(at, key, 'exists in both matchLabelKeys and mismatchLabelKeys')] : NONE,
    ),
  );
}

function validateKeyNames(keys: readonly string[], selector: Struct, path: string): readonly FieldError[] {
  if (keys.length === 0) return NONE;
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
