/** What a job does about failed pods, by their exit codes and conditions. */
import type { JobSpec, PodFailurePolicyOnExitCodesRequirement, PodFailurePolicyRule } from '../../../generated/batch/v1/types.ts';
import { duplicate, type FieldError, invalid, Notation, tooMany } from '../../contract/field-error.ts';
import type { RuleContext } from '../../contract/kind.ts';
import { NONE } from '../joined.ts';
import { invalidWithoutValue } from './findings.ts';

const MAX_EXIT_CODES = 255;

export function countsIndexes(
  { action }: PodFailurePolicyRule,
  _old: unknown,
  _context: RuleContext,
  { backoffLimitPerIndex }: JobSpec,
): readonly FieldError[] {
  if (action !== 'FailIndex' || backoffLimitPerIndex !== undefined) return NONE;
  return [invalid('.action', action, 'requires the backoffLimitPerIndex to be set')];
}

export function oneRequirement({ onExitCodes, onPodConditions }: PodFailurePolicyRule): readonly FieldError[] {
  const byCondition = (onPodConditions ?? []).length > 0;
  if ((onExitCodes !== undefined) !== byCondition) return NONE;
  return [
    invalidWithoutValue(
      '',
      byCondition
        ? 'specifying both OnExitCodes and OnPodConditions is not supported'
        : 'specifying one of OnExitCodes and OnPodConditions is required',
    ),
  ];
}

export function knownContainer(
  { containerName }: PodFailurePolicyOnExitCodesRequirement,
  _old: unknown,
  _context: RuleContext,
  { template }: JobSpec,
): readonly FieldError[] {
  const { containers, initContainers } = template.spec ?? {};
  if (containerName === undefined || [...(containers ?? []), ...(initContainers ?? [])].some(({ name }) => name === containerName))
    return NONE;
  return [invalid('.containerName', containerName, 'must be one of the container or initContainer names in the pod template')];
}

export function exitCodes({ operator, values: given }: PodFailurePolicyOnExitCodesRequirement): readonly FieldError[] {
  const values = given ?? [];
  const errors: FieldError[] = [];
  if (values.length === 0) errors.push(invalid('.values', inGo(values), 'at least one value is required'));
  else if (values.length > MAX_EXIT_CODES) errors.push(tooMany('.values', values.length, MAX_EXIT_CODES));
  const seen = new Set<number>();
  for (const [index, value] of values.entries()) {
    if (operator === 'In' && value === 0) errors.push(invalid(`.values[${index}]`, value, 'must not be 0 for the In operator'));
    if (seen.has(value)) errors.push(duplicate(`.values[${index}]`, value));
    seen.add(value);
  }
  if (values.some((value, index) => index > 0 && (values[index - 1] as number) > value))
    errors.push(invalid('.values', inGo(values), 'must be ordered'));
  return errors;
}

const inGo = (values: readonly number[]): Notation => new Notation(values.length === 0 ? '[]int32(nil)' : `[]int32{${values.join(', ')}}`);
