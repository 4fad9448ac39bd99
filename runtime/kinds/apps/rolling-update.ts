/** How many pods an update may take away or add at a time: numbers, or percentages of the wanted pods. */
import type { RollingUpdateDaemonSet, RollingUpdateDeployment } from '../../../generated/apps/v1/types.ts';
import { type FieldError, invalid, required } from '../../contract/field-error.ts';
import { type IntOrString, inGo } from '../../formats/percents.ts';
import { NONE } from '../../validation/joined.ts';

/** Of a Deployment: an update could not begin. */
export function oneAtLeast({ maxUnavailable = 0, maxSurge = 0 }: RollingUpdateDeployment): readonly FieldError[] {
  if (amount(maxUnavailable) !== 0 || amount(maxSurge) !== 0) return NONE;
  return [invalid('.maxUnavailable', inGo(maxUnavailable), 'may not be 0 when `maxSurge` is 0')];
}

/** Of a DaemonSet: exactly one of the two may differ from 0. */
export function eitherOne({ maxUnavailable = 0, maxSurge = 0 }: RollingUpdateDaemonSet): readonly FieldError[] {
  const [unavailable, surge] = [amount(maxUnavailable), amount(maxSurge)];
  if (unavailable !== 0 && surge !== 0) return [invalid('.maxSurge', inGo(maxSurge), 'may not be set when maxUnavailable is non-zero')];
  return unavailable === 0 && surge === 0 ? [required('.maxUnavailable', 'cannot be 0 when maxSurge is 0')] : NONE;
}

/** Of a StatefulSet: `0`, `0%` and texts that are no number. */
export function notZero(value: IntOrString): readonly FieldError[] {
  return amount(value) === 0 ? [invalid('', inGo(value), 'cannot be 0')] : NONE;
}

/** The number before an optional percent sign; 0 for a text without one. */
function amount(value: IntOrString): number {
  if (typeof value === 'number') return value;
  return /^[-+]?[0-9]+%?$/.test(value) ? Number.parseInt(value, 10) : 0;
}
