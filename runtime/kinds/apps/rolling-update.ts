/** How many pods an update may take away or add at a time: numbers, or percentages of the wanted pods. */

import { type FieldError, invalid, required } from '../../contract/field-error.ts';
import { atMostAll, type IntOrString, intOrPercent } from '../../formats/percents.ts';
import { invalidAs } from '../core/findings.ts';
import { notNegative } from '../core/numbers.ts';
import type { Struct } from '../struct.ts';

/** @param rollingUpdate of a Deployment; both members are set by defaulting */
export function validateDeploymentRollingUpdate(rollingUpdate: Struct, path: string): FieldError[] {
  const { maxUnavailable = 0, maxSurge = 0 } = rollingUpdate;
  return [
    ...invalidAs(intOrPercent(maxUnavailable), `${path}.maxUnavailable`, maxUnavailable),
    ...invalidAs(intOrPercent(maxSurge), `${path}.maxSurge`, maxSurge),
    ...(amount(maxUnavailable) === 0 && amount(maxSurge) === 0
      ? [invalid(`${path}.maxUnavailable`, maxUnavailable, 'may not be 0 when `maxSurge` is 0')]
      : []),
    ...invalidAs(atMostAll(maxUnavailable), `${path}.maxUnavailable`, maxUnavailable),
  ];
}

/** @param rollingUpdate of a DaemonSet: exactly one of the two may differ from 0 */
export function validateDaemonSetRollingUpdate(rollingUpdate: Struct, path: string): FieldError[] {
  const { maxUnavailable = 0, maxSurge = 0 } = rollingUpdate;
  const errors = [
    ...invalidAs(intOrPercent(maxUnavailable), `${path}.maxUnavailable`, maxUnavailable),
    ...invalidAs(intOrPercent(maxSurge), `${path}.maxSurge`, maxSurge),
    ...invalidAs(atMostAll(maxUnavailable), `${path}.maxUnavailable`, maxUnavailable),
    ...invalidAs(atMostAll(maxSurge), `${path}.maxSurge`, maxSurge),
  ];
  const [unavailable, surge] = [amount(maxUnavailable), amount(maxSurge)];
  if (unavailable !== 0 && surge !== 0)
    errors.push(invalid(`${path}.maxSurge`, maxSurge, 'may not be set when maxUnavailable is non-zero'));
  if (unavailable === 0 && surge === 0) errors.push(required(`${path}.maxUnavailable`, 'cannot be 0 when maxSurge is 0'));
  return errors;
}

export function validateStatefulSetRollingUpdate(rollingUpdate: Struct, path: string): FieldError[] {
  const { partition, maxUnavailable } = rollingUpdate;
  const errors = notNegative(partition, `${path}.partition`);
  if (maxUnavailable === undefined) return errors;
  errors.push(...invalidAs(intOrPercent(maxUnavailable), `${path}.maxUnavailable`, maxUnavailable));
  if (amount(maxUnavailable) === 0) errors.push(invalid(`${path}.maxUnavailable`, maxUnavailable, 'cannot be 0'));
  errors.push(...invalidAs(atMostAll(maxUnavailable), `${path}.maxUnavailable`, maxUnavailable));
  return errors;
}

/** The number before an optional percent sign; 0 for a text without one. */
function amount(value: IntOrString): number {
  if (typeof value === 'number') return value;
  return /^[-+]?[0-9]+%?$/.test(value) ? Number.parseInt(value, 10) : 0;
}
