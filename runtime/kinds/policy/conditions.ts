/** Conditions of the common form, as the status of a kind has them. */
import { duplicate, type FieldError, invalid, notSupported, required, tooLong } from '../../contract/field-error.ts';
import { numeric } from '../core/numbers.ts';
import { validateLabelName } from '../metadata/labels.ts';
import { patternMessage } from '../metadata/names.ts';
import type { Struct } from '../struct.ts';

const STATUSES = ['False', 'True', 'Unknown'];
const REASON = '[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?';
const reasonPattern = new RegExp(`^${REASON}$`);
const REASON_MESSAGE = patternMessage(
  "a condition reason must start with alphabetic character, optionally followed by a string of alphanumeric characters or '_,:', and must end with an alphanumeric character or '_'",
  REASON,
  'my_name',
  'MY_NAME',
  'MyName',
  'ReasonA,ReasonB',
  'ReasonA:ReasonB',
);
const MAX_REASON_BYTES = 1024;
const MAX_MESSAGE_BYTES = 32_768;

export function validateConditions(conditions: readonly Struct[] | null | undefined, path: string): FieldError[] {
  const types = new Set<string>();
  return (conditions ?? []).flatMap((condition, index) => {
    const at = `${path}[${index}]`;
    const repeated = types.has(condition.type);
    types.add(condition.type);
    return [...(repeated ? [duplicate(`${at}.type`, condition.type)] : []), ...validateCondition(condition, at)];
  });
}

function validateCondition(condition: Struct, path: string): FieldError[] {
  const { type = '', status = '', observedGeneration, lastTransitionTime, reason = '', message = '' } = condition;
  const errors = validateLabelName(type, `${path}.type`);
  if (!STATUSES.includes(status)) errors.push(notSupported(`${path}.status`, status, STATUSES));
  if (numeric(observedGeneration) < 0)
    errors.push(invalid(`${path}.observedGeneration`, observedGeneration, 'must be greater than or equal to zero'));
  if (!lastTransitionTime) errors.push(required(`${path}.lastTransitionTime`, 'must be set'));
  errors.push(...validateReason(reason, `${path}.reason`));
  if (Buffer.byteLength(message) > MAX_MESSAGE_BYTES) errors.push(tooLong(`${path}.message`, MAX_MESSAGE_BYTES));
  return errors;
}

function validateReason(reason: string, path: string): FieldError[] {
  if (reason === '') return [required(path, 'must be set')];
  const errors = reasonPattern.test(reason) ? [] : [invalid(path, reason, REASON_MESSAGE)];
  return Buffer.byteLength(reason) > MAX_REASON_BYTES ? [...errors, tooLong(path, MAX_REASON_BYTES)] : errors;
}
