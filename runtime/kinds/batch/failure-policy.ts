/** What a job does about failed pods, by their exit codes and conditions. */
import type { JobSpec, PodFailurePolicyOnExitCodesRequirement, PodFailurePolicyRule } from '../../../generated/batch/v1/types.ts';
import { type FieldError, invalid, Notation } from '../../contract/field-error.ts';
import type { RuleContext } from '../../contract/kind-rules.ts';
import { NONE } from '../../validation/joined.ts';
import { invalidWithoutValue } from './findings.ts';

/** An index can be given up only where failures are counted by index. */
export function countsIndexes(action: string, _old: unknown, _context: RuleContext, { backoffLimitPerIndex }: JobSpec): boolean {
  return action !== 'FailIndex' || backoffLimitPerIndex !== undefined;
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

/** The name is that of a container in the template of the job. */
export function isOfTemplate(containerName: string, _old: unknown, _context: RuleContext, { template }: JobSpec): boolean {
  const { containers, initContainers } = template.spec ?? {};
  return [...(containers ?? []), ...(initContainers ?? [])].some(({ name }) => name === containerName);
}

/** There are exit codes, and they ascend. */
export function ascending({ values }: PodFailurePolicyOnExitCodesRequirement): readonly FieldError[] {
  const codes = values ?? [];
  const isOrdered = codes.every((code, index) => index === 0 || (codes[index - 1] as number) <= code);
  if (codes.length > 0 && isOrdered) return NONE;
  return [invalid('.values', inGo(codes), codes.length === 0 ? 'at least one value is required' : 'must be ordered')];
}

const inGo = (values: readonly number[]): Notation => new Notation(values.length === 0 ? '[]int32(nil)' : `[]int32{${values.join(', ')}}`);
