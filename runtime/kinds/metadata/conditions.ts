/** Conditions of the form that all kinds share. */

import { duplicate, type FieldError, invalid, notSupported, required, tooLong } from '../../contract/field-error.ts';
import { conditionReason } from '../../formats/keys.ts';
import { isLongerThan } from '../../formats/messages.ts';
import { numeric } from '../../schema/raw-number.ts';
import { eachItem, invalidAs } from '../core/findings.ts';
import type { Struct } from '../struct.ts';
import { validateLabelName } from './labels.ts';

const REASON_LENGTH = 1024;
const MESSAGE_LENGTH = 32 * 1024;
/** in the order in which 1.32 shows them */
const STATUSES = ['False', 'True', 'Unknown'];

export function validateConditions(conditions: readonly Struct[] | null | undefined, path: string): readonly FieldError[] {
  return eachType(conditions, path, validateCondition);
}

/** Checks each condition, and that none repeats the type of an earlier one. */
export function eachType(
  conditions: readonly Struct[] | null | undefined,
  path: string,
  check: (condition: Struct, path: string) => readonly FieldError[],
): readonly FieldError[] {
  const types = new Set<string>();
  return eachItem(conditions, path, (condition, at) => {
    const { type = '' } = condition;
    const repeated = types.has(type);
    types.add(type);
    return [...(repeated ? [duplicate(`${at}.type`, type)] : []), ...check(condition, at)];
  });
}

function validateCondition(condition: Struct, path: string): readonly FieldError[] {
  const { observedGeneration = 0, lastTransitionTime, reason = '', message = '' } = condition;
  return [
    ...validateTypeAndStatus(condition, path),
    ...(numeric(observedGeneration) < 0
      ? [invalid(`${path}.observedGeneration`, observedGeneration, 'must be greater than or equal to zero')]
      : []),
    ...(lastTransitionTime ? [] : [required(`${path}.lastTransitionTime`, 'must be set')]),
    ...(reason === '' ? [required(`${path}.reason`, 'must be set')] : validateReason(reason, `${path}.reason`)),
    ...validateMessage(message, `${path}.message`),
  ];
}

export function validateTypeAndStatus({ type = '', status = '' }: Struct, path: string): readonly FieldError[] {
  return [
    ...validateLabelName(type, `${path}.type`),
    ...(STATUSES.includes(status) ? [] : [notSupported(`${path}.status`, status, STATUSES)]),
  ];
}

export function validateMessage(message: string, path: string): readonly FieldError[] {
  return isLongerThan(message, MESSAGE_LENGTH) ? [tooLong(path, MESSAGE_LENGTH)] : [];
}

/** @param reason not empty */
export function validateReason(reason: string, path: string): readonly FieldError[] {
  return [
    ...invalidAs(conditionReason(reason), path, reason),
    ...(isLongerThan(reason, REASON_LENGTH) ? [tooLong(path, REASON_LENGTH)] : []),
  ];
}
