/** When an indexed job succeeds before all of its indexes have. */
import type { JobSpec, SuccessPolicyRule } from '../../../generated/batch/v1/types.ts';
import { type FieldError, invalid, tooLong } from '../../contract/field-error.ts';
import type { RuleContext } from '../../contract/kind.ts';
import { notNegative } from '../core/numbers.ts';
import { countIndexes } from './indexes.ts';

const MAX_INDEXES_LENGTH = 64 * 1024;

/** Of the rules of a job's policy, in the scope of the job's spec. */
export function countedIndexes(rule: SuccessPolicyRule, _old: unknown, _context: RuleContext, { completions }: JobSpec): FieldError[] {
  return validateRule(rule, completions ?? 0, '');
}

function validateRule({ succeededIndexes, succeededCount }: SuccessPolicyRule, completions: number, path: string): FieldError[] {
  const counted = succeededIndexes === undefined ? undefined : countIndexes(succeededIndexes, completions);
  return [
    ...(succeededIndexes === undefined ? [] : validateIndexes(succeededIndexes, counted, `${path}.succeededIndexes`)),
    ...(succeededCount === undefined ? [] : validateCount(succeededCount, completions, counted, `${path}.succeededCount`)),
  ];
}

function validateIndexes(indexes: string, counted: number | string | undefined, path: string): FieldError[] {
  return [
    ...(Buffer.byteLength(indexes) > MAX_INDEXES_LENGTH ? [tooLong(path, MAX_INDEXES_LENGTH)] : []),
    ...(typeof counted === 'string' ? [invalid(path, indexes, `error parsing succeededIndexes: ${counted}`)] : []),
  ];
}

/** @param counted indexes named beside the count; a text where they cannot be read, which counts as none */
function validateCount(count: number, completions: number, counted: number | string | undefined, path: string): FieldError[] {
  const indexes = typeof counted === 'string' ? 0 : counted;
  const most = (limit: number, what: string): string => `must be less than or equal to ${limit} (the number of ${what})`;
  return [
    ...notNegative(count, path),
    ...(count > completions ? [invalid(path, count, most(completions, 'specified completions'))] : []),
    ...(indexes !== undefined && count > indexes
      ? [invalid(path, count, most(indexes, 'indexes in the specified succeededIndexes field'))]
      : []),
  ];
}
