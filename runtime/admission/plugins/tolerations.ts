/** Sets of tolerations, as plugins put them together. */
import type { Toleration } from '../../../generated/core/v1/types.ts';
import { deepEqual } from '../../schema/equal.ts';

/** Those of both, without any that another one says all of; of equal ones the first. */
export function mergedTolerations(first: readonly Toleration[], second: readonly Toleration[]): Toleration[] {
  const all = [...first, ...second];
  const merged: Toleration[] = [];
  for (const [index, toleration] of all.entries()) {
    const isCovered = merged.some((other) => covers(other, toleration));
    const isCoveredLater = all.slice(index + 1).some((other) => !deepEqual(other, toleration) && covers(other, toleration));
    if (!isCovered && !isCoveredLater) merged.push(toleration);
  }
  return merged;
}

/** Whether whatever the second one tolerates the first one does. */
export function covers(wide: Toleration, narrow: Toleration): boolean {
  if (deepEqual(wide, narrow)) return true;
  const { key = '', operator = '', effect = '', value = '', tolerationSeconds } = wide;
  if ((narrow.key ?? '') !== key && !(key === '' && operator === 'Exists')) return false;
  if ((narrow.effect ?? '') !== effect && effect !== '') return false;
  const isShorter = tolerationSeconds !== undefined && !((narrow.tolerationSeconds ?? Number.POSITIVE_INFINITY) <= tolerationSeconds);
  if (effect === 'NoExecute' && isShorter) return false;
  if (operator === 'Exists') return true;
  return (operator === '' || operator === 'Equal') && narrow.operator === 'Equal' && (narrow.value ?? '') === value;
}
