/** How many pods an update may take away or add at a time: numbers, or percentages of the wanted pods. */
import { type FieldError, invalid, required } from '../../contract/field-error.ts';
import { notNegative } from '../core/numbers.ts';
import { atMostAll, type IntOrString, validateIntOrPercent } from '../int-or-percent.ts';
import type { Struct } from '../struct.ts';

/** @param rollingUpdate of a Deployment; both members are set by defaulting */
export function validateDeploymentRollingUpdate(rollingUpdate: Struct, path: string): FieldError[] {
  const { maxUnavailable = 0, maxSurge = 0 } = rollingUpdate;
  return [
    ...validateIntOrPercent(maxUnavailable, `${path}.maxUnavailable`),
    ...validateIntOrPercent(maxSurge, `${path}.maxSurge`),
    ...(amount(maxUnavailable) === 0 && amount(maxSurge) === 0
      ? [invalid(`${path}.maxUnavailable`, maxUnavailable, 'may not be 0 when `maxSurge` is 0')]
      : []),
    ...atMostAll(maxUnavailable, `${path}.maxUnavailable`),
  ];
}

/** @param rollingUpdate of a DaemonSet: exactly one of the two may differ from 0 */
export function validateDaemonSetRollingUpdate(rollingUpdate: Struct, path: string): FieldError[] {
  const { maxUnavailable = 0, maxSurge = 0 } = rollingUpdate;
  const errors = [
    ...validateIntOrPercent(maxUnavailable, `${path}.maxUnavailable`),
    ...validateIntOrPercent(maxSurge, `${path}.maxSurge`),
    ...atMostAll(maxUnavailable, `${path}.maxUnavailable`),
    ...atMostAll(maxSurge, `${path}.maxSurge`),
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
  errors.push(...validateIntOrPercent(maxUnavailable, `${path}.maxUnavailable`));
  if (amount(maxUnavailable) === 0) errors.push(invalid(`${path}.maxUnavailable`, maxUnavailable, 'cannot be 0'));
  errors.push(...atMostAll(maxUnavailable, `${path}.maxUnavailable`));
  return errors;
}

/** The number before an optional percent sign; 0 for a text without one. */
function amount(value: IntOrString): number {
  if (typeof value === 'number') return value;
  return /^[-+]?[0-9]+%?$/.test(value) ? Number.parseInt(value, 10) : 0;
}
