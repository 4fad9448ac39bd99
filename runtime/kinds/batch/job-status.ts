/**
 * Status of jobs. Jobs may be run by controllers other than the built-in one, so that the server itself holds what clients rely on: a
 * finished job stays finished, and its counters agree. Most rules look only at what an update changes: a status that was wrong before, or
 * that a change of the specification made wrong, must not block other updates.
 */
import { duplicate, type FieldError, invalid, required } from '../../contract/field-error.ts';
import type { RuleContext } from '../../contract/kind.ts';
import type { ApiObject } from '../../contract/object.ts';
import { deepEqual } from '../../schema/equal.ts';
import { allNonNegative } from '../counts.ts';
import type { Struct } from '../struct.ts';
import { invalidTime, invalidWithoutValue } from './findings.ts';
import { countIndexes, firstOverlap } from './indexes.ts';
import { isIndexed } from './job-spec.ts';

type Condition = 'Complete' | 'Failed' | 'FailureTarget' | 'SuccessCriteriaMet';

/** What a status says, and what of it an update changes. */
interface Change {
  readonly spec: Struct;
  readonly status: Struct;
  readonly old: Struct;
  readonly is: (condition: Condition) => boolean;
  readonly was: (condition: Condition) => boolean;
  readonly finished: boolean;
  /** whether a condition, or one of two, or being finished differs */
  readonly turned: (...conditions: readonly Condition[]) => boolean;
  readonly changed: (...members: readonly string[]) => boolean;
}

const CONDITIONS = 'status.conditions';

export function conditionIsTrue(status: Struct | undefined, type: string): boolean {
  return (status?.conditions ?? []).some((condition: Struct) => condition.type === type && condition.status === 'True');
}

export function validateJobStatus(object: ApiObject, old: ApiObject, context: RuleContext): FieldError[] {
  const change = changeOf(object, old);
  const strict = context.featureEnabled('JobManagedBy');
  return [
    ...validateCounts(change.status),
    ...(strict ? [...validateEnd(change), ...validateFinished(change), ...validateIndexes(change), ...validatePods(change)] : []),
    ...validateSuccess(change),
    ...(strict ? validateTransitions(change) : []),
    ...validateSuccessTransitions(change),
  ];
}

function changeOf(object: ApiObject, oldObject: ApiObject): Change {
  const status: Struct = object.status ?? {};
  const old: Struct = oldObject.status ?? {};
  const is = (condition: Condition): boolean => conditionIsTrue(status, condition);
  const was = (condition: Condition): boolean => conditionIsTrue(old, condition);
  return {
    spec: object.spec,
    status,
    old,
    is,
    was,
    finished: is('Complete') || is('Failed'),
    turned: (...conditions) => conditions.some((condition) => is(condition) !== was(condition)),
    changed: (...members) => members.some((member) => !deepEqual(status[member], old[member])),
  };
}

function validateCounts(status: Struct): FieldError[] {
  const { succeeded, failed } = status.uncountedTerminatedPods ?? {};
  const seen = new Set<string>();
  return [
    ...allNonNegative(status, 'status', ['active', 'succeeded', 'failed', 'ready', 'terminating']),
    ...validateUids(succeeded, 'status.uncountedTerminatedPods.succeeded', seen),
    ...validateUids(failed, 'status.uncountedTerminatedPods.failed', seen),
  ];
}

/** @param seen those of both lists; changed */
function validateUids(uids: readonly string[] | undefined, path: string, seen: Set<string>): FieldError[] {
  return (uids ?? []).flatMap((uid, index) => {
    if (uid === '') return [invalid(`${path}[${index}]`, uid, 'must not be empty')];
    if (seen.has(uid)) return [duplicate(`${path}[${index}]`, uid)];
    seen.add(uid);
    return [];
  });
}

/** Conditions that exclude each other or need each other, and the time of completion. */
function validateEnd({ status, is, turned, changed }: Change): FieldError[] {
  const { startTime, completionTime } = status;
  const errors: FieldError[] = [];
  const refuse = (detail: string): number => errors.push(invalidWithoutValue(CONDITIONS, detail));
  if (turned('Complete', 'Failed') && is('Complete') && is('Failed')) refuse('cannot set Complete=True and Failed=true conditions');
  if (turned('Complete', 'FailureTarget') && is('Complete') && is('FailureTarget'))
    refuse('cannot set Complete=True and FailureTarget=true conditions');
  if (turned('Complete') || changed('completionTime')) {
    if (completionTime !== undefined && !is('Complete'))
      errors.push(
        invalidTime('status.completionTime', completionTime, 'cannot set completionTime when there is no Complete=True condition'),
      );
    if (completionTime === undefined && is('Complete'))
      errors.push(required('status.completionTime', 'completionTime is required for Complete jobs'));
  }
  // Both are RFC 3339 in UTC with whole seconds, so that their texts are in the order of time.
  if (changed('startTime', 'completionTime') && completionTime < startTime)
    errors.push(invalidTime('status.completionTime', completionTime, 'completionTime cannot be set before startTime'));
  if (turned('Failed', 'FailureTarget') && is('Failed') && !is('FailureTarget'))
    refuse('cannot set Failed=True condition without the FailureTarget=true condition');
  if (turned('Complete', 'SuccessCriteriaMet') && is('Complete') && !is('SuccessCriteriaMet'))
    refuse('cannot set Complete=True condition without the SuccessCriteriaMet=true condition');
  return errors;
}

/** What no finished job has left to do. */
function validateFinished({ status, was, finished, changed }: Change): FieldError[] {
  if (!finished) return [];
  const began = !(was('Complete') || was('Failed'));
  const { active = 0, startTime, uncountedTerminatedPods: pods } = status;
  const uncounted = (pods?.failed ?? []).length + (pods?.succeeded ?? []).length;
  return [
    ...((began || changed('active')) && active > 0 ? [invalid('status.active', active, 'active>0 is invalid for finished job')] : []),
    ...((began || changed('startTime')) && startTime === undefined
      ? [required('status.startTime', 'startTime is required for finished job')]
      : []),
    ...((began || changed('uncountedTerminatedPods')) && uncounted > 0
      ? [invalid('status.uncountedTerminatedPods', pods, 'uncountedTerminatedPods needs to be empty for finished job')]
      : []),
  ];
}

function validateIndexes({ spec, status, changed }: Change): FieldError[] {
  const { completions, backoffLimitPerIndex } = spec;
  const { completedIndexes = '', failedIndexes } = status;
  const completed = 'status.completedIndexes';
  const failed = 'status.failedIndexes';
  const errors: FieldError[] = [];
  const failedChanged = changed('failedIndexes');
  if (changed('completedIndexes')) errors.push(...readable(completedIndexes, completions, completed));
  if (failedChanged && backoffLimitPerIndex !== undefined) errors.push(...readable(failedIndexes, completions, failed));
  if (changed('completedIndexes') && completedIndexes !== '' && !isIndexed(spec))
    errors.push(invalid(completed, completedIndexes, 'cannot set non-empty completedIndexes when non-indexed completion mode'));
  if (failedChanged && failedIndexes !== undefined && backoffLimitPerIndex === undefined)
    errors.push(invalid(failed, failedIndexes, 'cannot set non-null failedIndexes when backoffLimitPerIndex is null'));
  if (changed('failedIndexes', 'completedIndexes') && completions !== undefined && failedIndexes !== undefined) {
    const index = firstOverlap(completedIndexes, failedIndexes, completions);
    if (index !== undefined) errors.push(invalid(failed, failedIndexes, `failedIndexes and completedIndexes overlap at index: ${index}`));
  }
  return errors;
}

function readable(indexes: string | undefined, completions: number | undefined, path: string): FieldError[] {
  if (indexes === undefined || completions === undefined) return [];
  const counted = countIndexes(indexes, completions);
  return typeof counted === 'string' ? [invalid(path, indexes, `error parsing ${path.slice('status.'.length)}: ${counted}`)] : [];
}

function validatePods({ status, was, finished, changed }: Change): FieldError[] {
  const { terminating = 0, ready, active = 0 } = status;
  const turned = finished !== (was('Complete') || was('Failed'));
  return [
    ...((turned || changed('terminating')) && finished && terminating > 0
      ? [invalid('status.terminating', terminating, 'terminating>0 is invalid for finished job')]
      : []),
    ...(ready !== undefined && changed('ready', 'active') && ready > active
      ? [invalid('status.ready', ready, 'cannot set more ready pods than active')]
      : []),
  ];
}

function validateSuccess({ spec, is }: Change): FieldError[] {
  const errors: FieldError[] = [];
  const met = is('SuccessCriteriaMet');
  const refuse = (detail: string): number => errors.push(invalidWithoutValue(CONDITIONS, detail));
  if (met && is('Failed')) refuse('cannot set SuccessCriteriaMet=True and Failed=true conditions');
  if (met && is('FailureTarget')) refuse('cannot set SuccessCriteriaMet=True and FailureTarget=true conditions');
  if (spec.successPolicy !== undefined && !met && is('Complete'))
    refuse('cannot set Complete=True for Job with SuccessPolicy unless SuccessCriteriaMet=True');
  return errors;
}

const TERMINAL: readonly Condition[] = ['Failed', 'Complete', 'FailureTarget'];

/** What happened cannot be undone. */
function validateTransitions({ spec, status, old, is, was }: Change): FieldError[] {
  const { failed = 0, succeeded = 0, completionTime, startTime } = status;
  // Such a job may be made smaller, and then loses what its last indexes did.
  const shrinks = isIndexed(spec) && spec.completions === spec.parallelism;
  return [
    ...TERMINAL.filter((condition) => was(condition) && !is(condition)).map((condition) =>
      invalidWithoutValue(CONDITIONS, `cannot disable the terminal ${condition}=True condition`),
    ),
    ...(failed < (old.failed ?? 0) ? [invalid('status.failed', failed, 'cannot decrease the failed counter')] : []),
    ...(!shrinks && succeeded < (old.succeeded ?? 0)
      ? [invalid('status.succeeded', succeeded, 'cannot decrease the succeeded counter')]
      : []),
    ...(completionTime !== undefined && old.completionTime !== undefined && completionTime !== old.completionTime
      ? [invalidTime('status.completionTime', completionTime, 'completionTime cannot be mutated')]
      : []),
    ...(old.startTime !== undefined && old.startTime !== startTime && spec.suspend !== true
      ? [required('status.startTime', 'startTime cannot be removed for unsuspended job')]
      : []),
  ];
}

function validateSuccessTransitions({ is, was }: Change): FieldError[] {
  const [met, wasMet] = [is('SuccessCriteriaMet'), was('SuccessCriteriaMet')];
  if (wasMet && !met) return [invalidWithoutValue(CONDITIONS, 'cannot disable the SuccessCriteriaMet=True condition')];
  if (was('Complete') && !wasMet && met)
    return [invalidWithoutValue(CONDITIONS, 'cannot set SuccessCriteriaMet=True for Job already has Complete=true conditions')];
  return [];
}
