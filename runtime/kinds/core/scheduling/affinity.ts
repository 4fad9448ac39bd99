/** Which other pods a pod wants to be with, or away from. */
import type { PodAffinityTerm } from '../../../../generated/core/v1/types.ts';
import { type FieldError, invalid } from '../../../contract/field-error.ts';
import { foundInEach, joined, NONE } from '../../../validation/joined.ts';

/** Keys whose values are taken from the pod's own labels. By now those to match stand in the selector too, once. */
export function differentKeys({ matchLabelKeys, mismatchLabelKeys, labelSelector }: PodAffinityTerm): readonly FieldError[] {
  if (matchLabelKeys === undefined) return NONE;
  const indexes = new Map(matchLabelKeys.map((key, index) => [key, index]));
  const mismatched = new Set(mismatchLabelKeys);
  return joined(
    // 1.32 leaves the name of the list out.
    repeatedKeys(indexes, labelSelector).map((key) =>
      invalid(`[${indexes.get(key)}]`, key, 'exists in both matchLabelKeys and labelSelector'),
    ),
    foundInEach(matchLabelKeys, (key, index) =>
      mismatched.has(key) ? [invalid(`.matchLabelKeys[${index}]`, key, 'exists in both matchLabelKeys and mismatchLabelKeys')] : NONE,
    ),
  );
}

/** Keys to match that the selector names more than once. */
function repeatedKeys(keys: ReadonlyMap<string, number>, selector: PodAffinityTerm['labelSelector']): string[] {
  const seen = new Set(Object.keys(selector?.matchLabels ?? {}));
  const repeated: string[] = [];
  for (const { key } of selector?.matchExpressions ?? []) {
    if (keys.has(key) && seen.has(key)) repeated.push(key);
    seen.add(key);
  }
  return repeated;
}
