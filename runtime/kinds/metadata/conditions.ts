/** Conditions of the form that all kinds share. */
import type { Condition } from '../../../generated/meta/v1/types.ts';
import { duplicate, type FieldError, invalid, tooLong } from '../../contract/field-error.ts';
import { conditionReason } from '../../formats/keys.ts';
import { qualifiedName } from '../../formats/labels.ts';
import { isLongerThan } from '../../formats/messages.ts';
import { numeric } from '../../schema/scalar/raw-number.ts';
import { joined, NONE } from '../../validation/joined.ts';
import { eachItem, invalidAs, needed, oneOf } from '../findings.ts';

const REASON_LENGTH = 1024;
const MESSAGE_LENGTH = 32 * 1024;
/** in the order in which 1.32 shows them */
const STATUSES = ['False', 'True', 'Unknown'];

/** Checks each condition, and that none repeats the type of an earlier one. */
export function conditions(list: readonly Condition[] | null): readonly FieldError[] {
  const types = new Set<string>();
  return eachItem(list, '', (condition, at) => {
    const { type = '' } = condition;
    const repeated = types.has(type);
    types.add(type);
    return joined(repeated ? [duplicate(`${at}.type`, type)] : NONE, validateCondition(condition, at));
  });
}

function validateCondition(condition: Condition, path: string): readonly FieldError[] {
  const { observedGeneration = 0, lastTransitionTime, reason, message } = condition;
  return joined(
    validateTypeAndStatus(condition, path),
    numeric(observedGeneration) < 0
      ? [invalid(`${path}.observedGeneration`, observedGeneration, 'must be greater than or equal to zero')]
      : NONE,
    needed(lastTransitionTime, `${path}.lastTransitionTime`, 'must be set'),
    needed(reason, `${path}.reason`, 'must be set'),
    validateReason(reason, `${path}.reason`),
    validateMessage(message, `${path}.message`),
  );
}

function validateTypeAndStatus({ type = '', status = '' }: Condition, path: string): readonly FieldError[] {
  return joined(invalidAs(qualifiedName(type), `${path}.type`, type), oneOf(status, `${path}.status`, STATUSES));
}

function validateMessage(message: string | undefined, path: string): readonly FieldError[] {
  return isLongerThan(message ?? '', MESSAGE_LENGTH) ? [tooLong(path, MESSAGE_LENGTH)] : NONE;
}

/** Of a reason that is there. */
function validateReason(reason: string | undefined, path: string): readonly FieldError[] {
  if (!reason) return NONE;
  return joined(
    invalidAs(conditionReason(reason), path, reason),
    isLongerThan(reason, REASON_LENGTH) ? [tooLong(path, REASON_LENGTH)] : NONE,
  );
}
