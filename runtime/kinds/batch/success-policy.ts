/** When an indexed job succeeds before all of its indexes have: rules of its policy, in the scope of the job's spec. */
import type { JobSpec, SuccessPolicyRule } from '../../../generated/batch/v1/types.ts';
import { type FieldError, invalid } from '../../contract/field-error.ts';
import type { RuleContext } from '../../contract/kind-rules.ts';
import { NONE } from '../../validation/joined.ts';
import { countIndexes } from './indexes.ts';

export function readableIndexes(
  { succeededIndexes = '' }: SuccessPolicyRule,
  _old: unknown,
  _context: RuleContext,
  { completions = 0 }: JobSpec,
): readonly FieldError[] {
  const counted = countIndexes(succeededIndexes, completions);
  return typeof counted === 'string'
    ? [invalid('.succeededIndexes', succeededIndexes, `error parsing succeededIndexes: ${counted}`)]
    : NONE;
}

/** As many indexes as must succeed can do so. Of indexes that cannot be read there are none. */
export function attainableCount(
  { succeededIndexes, succeededCount }: SuccessPolicyRule,
  _old: unknown,
  _context: RuleContext,
  { completions = 0 }: JobSpec,
): readonly FieldError[] {
  if (succeededCount === undefined) return NONE;
  const limits: [limit: number, what: string][] = [[completions, 'specified completions']];
  if (succeededIndexes !== undefined) {
    const counted = countIndexes(succeededIndexes, completions);
    limits.push([typeof counted === 'string' ? 0 : counted, 'indexes in the specified succeededIndexes field']);
  }
  return limits
    .filter(([limit]) => succeededCount > limit)
    .map(([limit, what]) => invalid('.succeededCount', succeededCount, `must be less than or equal to ${limit} (the number of ${what})`));
}
