/** Specifications of jobs: of jobs themselves and of the templates that cron jobs make jobs from. */

import { type FieldError, invalid, notSupported, required, tooLong } from '../../contract/field-error.ts';
import type { RuleContext } from '../../contract/kind.ts';
import { domainPrefixedPath } from '../../formats/joined-names.ts';
import { invalidParts } from '../core/findings.ts';
import { notNegative } from '../core/numbers.ts';
import { podTemplateWarnings } from '../core/pod-warnings.ts';
import { allNonNegative } from '../counts.ts';
import type { Struct } from '../struct.ts';
import { validatePodFailurePolicy } from './failure-policy.ts';
import { validateSuccessPolicy } from './success-policy.ts';

const MAX_MANAGED_BY = 63;
const MAX_PARALLELISM = 100_000;
const MAX_FAILED_INDEXES = 100_000;
/** completions beyond which the status of a job could outgrow what is stored, so that other limits are lower */
const MANY_COMPLETIONS = 100_000;
const MAX_PARALLELISM_OF_MANY = 10_000;
const MAX_FAILED_INDEXES_OF_MANY = 10_000;

/** Of everything but the selector. @param path such as `spec` or `spec.jobTemplate.spec` */
export function validateJobSpec(spec: Struct, path: string): FieldError[] {
  return [
    ...allNonNegative(spec, path, ['parallelism', 'completions', 'activeDeadlineSeconds', 'backoffLimit']),
    ...allNonNegative(spec, path, ['ttlSecondsAfterFinished', 'backoffLimitPerIndex']),
    ...notNegative(spec.maxFailedIndexes, `${path}.maxFailedIndexes`),
    ...(spec.maxFailedIndexes !== undefined && spec.backoffLimitPerIndex === undefined
      ? [required(`${path}.backoffLimitPerIndex`, 'when maxFailedIndexes is specified')]
      : []),
    ...validateManagedBy(spec.managedBy, `${path}.managedBy`),
    ...validateCompletionMode(spec, path),
    ...(spec.podFailurePolicy === undefined ? [] : validatePodFailurePolicy(spec, `${path}.podFailurePolicy`)),
    ...validateEarlySuccess(spec, `${path}.successPolicy`),
    ...validateReplacement(spec, `${path}.podReplacementPolicy`),
    ...validateRestartPolicy(spec, `${path}.template.spec.restartPolicy`),
  ];
}

export const isIndexed = (spec: Struct): boolean => spec.completionMode === 'Indexed';

function validateManagedBy(managedBy: string | undefined, path: string): FieldError[] {
  if (managedBy === undefined) return [];
  const tooMuch = Buffer.byteLength(managedBy) > MAX_MANAGED_BY ? [tooLong(path, MAX_MANAGED_BY)] : [];
  const wrong = managedBy === '' ? [required(path)] : invalidParts(domainPrefixedPath(managedBy), path);
  return [...wrong, ...tooMuch];
}

function validateCompletionMode(spec: Struct, path: string): FieldError[] {
  const { completionMode, backoffLimitPerIndex, maxFailedIndexes } = spec;
  if (completionMode === 'Indexed') return validateIndexed(spec, path);
  if (completionMode !== undefined && completionMode !== 'NonIndexed')
    return [notSupported(`${path}.completionMode`, completionMode, ['NonIndexed', 'Indexed'])];
  const detail = 'requires indexed completion mode';
  return [
    ...(backoffLimitPerIndex === undefined ? [] : [invalid(`${path}.backoffLimitPerIndex`, backoffLimitPerIndex, detail)]),
    ...(maxFailedIndexes === undefined ? [] : [invalid(`${path}.maxFailedIndexes`, maxFailedIndexes, detail)]),
  ];
}

function validateIndexed(spec: Struct, path: string): FieldError[] {
  const { completions, parallelism, maxFailedIndexes } = spec;
  const failed = `${path}.maxFailedIndexes`;
  return [
    ...(completions === undefined ? [required(`${path}.completions`, 'when completion mode is Indexed')] : []),
    ...atMost(parallelism, `${path}.parallelism`, MAX_PARALLELISM, ' when completion mode is Indexed'),
    ...(completions !== undefined && maxFailedIndexes > completions
      ? [invalid(failed, maxFailedIndexes, 'must be less than or equal to completions')]
      : []),
    ...atMost(maxFailedIndexes, failed, MAX_FAILED_INDEXES, ''),
    ...(completions > MANY_COMPLETIONS && spec.backoffLimitPerIndex !== undefined ? validateManyCompletions(spec, path) : []),
  ];
}

function validateManyCompletions({ parallelism, maxFailedIndexes }: Struct, path: string): FieldError[] {
  const condition = ` when completions are above ${MANY_COMPLETIONS} and used with backoff limit per index`;
  return [
    ...(maxFailedIndexes === undefined
      ? [required(`${path}.maxFailedIndexes`, `must be specified when completions is above ${MANY_COMPLETIONS}`)]
      : []),
    ...atMost(parallelism, `${path}.parallelism`, MAX_PARALLELISM_OF_MANY, condition),
    ...atMost(maxFailedIndexes, `${path}.maxFailedIndexes`, MAX_FAILED_INDEXES_OF_MANY, condition),
  ];
}

function atMost(value: number | undefined, path: string, limit: number, condition: string): FieldError[] {
  return value !== undefined && value > limit ? [invalid(path, value, `must be less than or equal to ${limit}${condition}`)] : [];
}

function validateEarlySuccess(spec: Struct, path: string): FieldError[] {
  if (spec.successPolicy === undefined) return [];
  return isIndexed(spec) ? validateSuccessPolicy(spec, path) : [invalid(path, spec.successPolicy, 'requires indexed completion mode')];
}

/** With a failure policy the cause of a pod's end must be known before the pod is replaced. */
function validateReplacement({ podReplacementPolicy, podFailurePolicy }: Struct, path: string): FieldError[] {
  if (podReplacementPolicy === undefined) return [];
  const supported = podFailurePolicy === undefined ? ['Failed', 'TerminatingOrFailed'] : ['Failed'];
  return supported.includes(podReplacementPolicy) ? [] : [notSupported(path, podReplacementPolicy, supported)];
}

/** `Always` is what defaulting gives to a template that says nothing. */
function validateRestartPolicy(spec: Struct, path: string): FieldError[] {
  const policy: string = spec.template?.spec?.restartPolicy ?? '';
  if (policy === '' || policy === 'Always') return [required(path, 'valid values: "OnFailure", "Never"')];
  if (policy !== 'OnFailure' && policy !== 'Never') return [notSupported(path, policy, ['OnFailure', 'Never'])];
  if (spec.podFailurePolicy === undefined || policy === 'Never') return [];
  return [invalid(path, policy, 'only "Never" is supported when podFailurePolicy is specified')];
}

/** @param path such as `spec` or `spec.jobTemplate.spec` */
export function jobSpecWarnings(spec: Struct, path: string, context: RuleContext): string[] {
  const outgrows = isIndexed(spec) && spec.completions > MANY_COMPLETIONS && spec.parallelism > MAX_PARALLELISM_OF_MANY;
  return [
    ...(outgrows
      ? [
          `${path}: In Indexed Jobs with a number of completions higher than 10^5 and a parallelism higher than 10^4, Kubernetes might not be able to track completedIndexes when a big number of indexes fail`,
        ]
      : []),
    ...podTemplateWarnings(spec.template, `${path}.template.`, context),
  ];
}
