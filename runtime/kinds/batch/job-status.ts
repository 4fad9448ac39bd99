/**
 * Status of jobs. Jobs may be run by controllers other than the built-in one, so that the server itself holds what clients rely on: a
 * finished job stays finished, and its counters agree. Most rules look only at what an update changes: a status that was wrong before, or
 * that a change of the specification made wrong, must not block other updates.
 */
import type { Job, JobSpec, JobStatus, UncountedTerminatedPods } from '../../../generated/batch/v1/types.ts';
import { duplicate, type FieldError, invalid, required } from '../../contract/field-error.ts';
import type { RuleContext } from '../../contract/kind-rules.ts';
import { deepEqual } from '../../schema/equal.ts';
import { foundInEach, joined, NONE } from '../../validation/joined.ts';
import { invalidTime, invalidWithoutValue } from './findings.ts';
import { countIndexes, firstOverlap } from './indexes.ts';
import { isIndexed } from './job-spec.ts';

/** Pods have names, and stand in one of the lists once. */
export function distinctPods({ succeeded, failed }: UncountedTerminatedPods): readonly FieldError[] {
  const seen = new Set<string>();
  return joined(distinct(succeeded, '.succeeded', seen), distinct(failed, '.failed', seen));
}

/** @param seen those of both lists; changed */
function distinct(uids: readonly string[] | undefined, path: string, seen: Set<string>): readonly FieldError[] {
  return foundInEach(uids, (uid, index) => {
    if (uid === '') return [invalid(`${path}[${index}]`, uid, 'must not be empty')];
    if (seen.has(uid)) return [duplicate(`${path}[${index}]`, uid)];
    seen.add(uid);
    return NONE;
  });
}

type Condition = 'Complete' | 'Failed' | 'FailureTarget' | 'SuccessCriteriaMet';

/** What a status says, and what of it an update changes. */
interface Change {
  readonly spec: Partial<JobSpec>;
  readonly status: JobStatus;
  readonly old: JobStatus;
  readonly is: (condition: Condition) => boolean;
  readonly was: (condition: Condition) => boolean;
  readonly finished: boolean;
  readonly wasFinished: boolean;
  /** whether one of the conditions differs */
  readonly turned: (...conditions: readonly Condition[]) => boolean;
  readonly changed: (...members: readonly (keyof JobStatus)[]) => boolean;
}

/** Something that may be wrong with a member of the status. */
interface Check {
  readonly at: keyof JobStatus;
  /** what is wrong is that the member is absent */
  readonly absent?: boolean;
  /** the rule came before jobs had other controllers, and holds while that feature is off as well */
  readonly always?: boolean;
  /** @returns what is wrong */
  readonly find: (change: Change) => string | false | undefined;
}

/** In the order in which 1.32 reports what it finds. */
const CHECKS: readonly Check[] = [
  // Conditions that exclude each other or need each other, and the time of completion.
  {
    at: 'conditions',
    find: ({ is, turned }) =>
      turned('Complete', 'Failed') && is('Complete') && is('Failed') && 'cannot set Complete=True and Failed=true conditions',
  },
  {
    at: 'conditions',
    find: ({ is, turned }) =>
      turned('Complete', 'FailureTarget') &&
      is('Complete') &&
      is('FailureTarget') &&
      'cannot set Complete=True and FailureTarget=true conditions',
  },
  {
    at: 'completionTime',
    find: ({ is, turned, changed, status }) =>
      (turned('Complete') || changed('completionTime')) &&
      status.completionTime !== undefined &&
      !is('Complete') &&
      'cannot set completionTime when there is no Complete=True condition',
  },
  {
    at: 'completionTime',
    absent: true,
    find: ({ is, turned, changed, status }) =>
      (turned('Complete') || changed('completionTime')) &&
      status.completionTime === undefined &&
      is('Complete') &&
      'completionTime is required for Complete jobs',
  },
  {
    at: 'completionTime',
    // Both are RFC 3339 in UTC with whole seconds, so that their texts are in the order of time.
    find: ({ changed, status: { startTime, completionTime } }) =>
      changed('startTime', 'completionTime') &&
      startTime !== undefined &&
      completionTime !== undefined &&
      completionTime < startTime &&
      'completionTime cannot be set before startTime',
  },
  {
    at: 'conditions',
    find: ({ is, turned }) =>
      turned('Failed', 'FailureTarget') &&
      is('Failed') &&
      !is('FailureTarget') &&
      'cannot set Failed=True condition without the FailureTarget=true condition',
  },
  {
    at: 'conditions',
    find: ({ is, turned }) =>
      turned('Complete', 'SuccessCriteriaMet') &&
      is('Complete') &&
      !is('SuccessCriteriaMet') &&
      'cannot set Complete=True condition without the SuccessCriteriaMet=true condition',
  },
  // What no finished job has left to do.
  {
    at: 'active',
    find: ({ finished, wasFinished, changed, status }) =>
      finished && (!wasFinished || changed('active')) && (status.active ?? 0) > 0 && 'active>0 is invalid for finished job',
  },
  {
    at: 'startTime',
    absent: true,
    find: ({ finished, wasFinished, changed, status }) =>
      finished && (!wasFinished || changed('startTime')) && status.startTime === undefined && 'startTime is required for finished job',
  },
  {
    at: 'uncountedTerminatedPods',
    find: ({ finished, wasFinished, changed, status: { uncountedTerminatedPods: { succeeded = [], failed = [] } = {} } }) =>
      finished &&
      (!wasFinished || changed('uncountedTerminatedPods')) &&
      succeeded.length + failed.length > 0 &&
      'uncountedTerminatedPods needs to be empty for finished job',
  },
  // Indexes that have succeeded and failed.
  {
    at: 'completedIndexes',
    find: ({ spec, status, changed }) => changed('completedIndexes') && unreadable('completedIndexes', spec, status),
  },
  {
    at: 'failedIndexes',
    find: ({ spec, status, changed }) =>
      changed('failedIndexes') && spec.backoffLimitPerIndex !== undefined && unreadable('failedIndexes', spec, status),
  },
  {
    at: 'completedIndexes',
    find: ({ spec, status, changed }) =>
      changed('completedIndexes') &&
      (status.completedIndexes ?? '') !== '' &&
      !isIndexed(spec) &&
      'cannot set non-empty completedIndexes when non-indexed completion mode',
  },
  {
    at: 'failedIndexes',
    find: ({ spec, status, changed }) =>
      changed('failedIndexes') &&
      status.failedIndexes !== undefined &&
      spec.backoffLimitPerIndex === undefined &&
      'cannot set non-null failedIndexes when backoffLimitPerIndex is null',
  },
  { at: 'failedIndexes', find: ({ spec, status, changed }) => changed('failedIndexes', 'completedIndexes') && overlap(spec, status) },
  // Pods that still end, and pods that are ready.
  {
    at: 'terminating',
    find: ({ finished, wasFinished, changed, status }) =>
      finished && (!wasFinished || changed('terminating')) && (status.terminating ?? 0) > 0 && 'terminating>0 is invalid for finished job',
  },
  {
    at: 'ready',
    find: ({ changed, status: { ready, active = 0 } }) =>
      changed('ready', 'active') && ready !== undefined && ready > active && 'cannot set more ready pods than active',
  },
  // Early success.
  {
    at: 'conditions',
    always: true,
    find: ({ is }) => is('SuccessCriteriaMet') && is('Failed') && 'cannot set SuccessCriteriaMet=True and Failed=true conditions',
  },
  {
    at: 'conditions',
    always: true,
    find: ({ is }) =>
      is('SuccessCriteriaMet') && is('FailureTarget') && 'cannot set SuccessCriteriaMet=True and FailureTarget=true conditions',
  },
  {
    at: 'conditions',
    always: true,
    find: ({ spec, is }) =>
      spec.successPolicy !== undefined &&
      is('Complete') &&
      !is('SuccessCriteriaMet') &&
      'cannot set Complete=True for Job with SuccessPolicy unless SuccessCriteriaMet=True',
  },
  // What happened cannot be undone.
  ...(['Failed', 'Complete', 'FailureTarget'] as const).map(
    (condition): Check => ({
      at: 'conditions',
      find: ({ is, was }) => was(condition) && !is(condition) && `cannot disable the terminal ${condition}=True condition`,
    }),
  ),
  { at: 'failed', find: ({ status, old }) => (status.failed ?? 0) < (old.failed ?? 0) && 'cannot decrease the failed counter' },
  {
    at: 'succeeded',
    // An indexed job whose completions follow its parallelism may be made smaller, and then loses what its last indexes did.
    find: ({ spec, status, old }) =>
      !(isIndexed(spec) && spec.completions === spec.parallelism) &&
      (status.succeeded ?? 0) < (old.succeeded ?? 0) &&
      'cannot decrease the succeeded counter',
  },
  {
    at: 'completionTime',
    find: ({ status: { completionTime }, old }) =>
      completionTime !== undefined &&
      old.completionTime !== undefined &&
      completionTime !== old.completionTime &&
      'completionTime cannot be mutated',
  },
  {
    at: 'startTime',
    absent: true,
    find: ({ spec, status, old }) =>
      old.startTime !== undefined &&
      old.startTime !== status.startTime &&
      spec.suspend !== true &&
      'startTime cannot be removed for unsuspended job',
  },
  {
    at: 'conditions',
    always: true,
    find: ({ is, was }) => was('SuccessCriteriaMet') && !is('SuccessCriteriaMet') && 'cannot disable the SuccessCriteriaMet=True condition',
  },
  {
    at: 'conditions',
    always: true,
    find: ({ is, was }) =>
      was('Complete') &&
      !was('SuccessCriteriaMet') &&
      is('SuccessCriteriaMet') &&
      'cannot set SuccessCriteriaMet=True for Job already has Complete=true conditions',
  },
];

export function statusChanges(object: Job, old: Job | undefined, context: RuleContext): readonly FieldError[] {
  const change = changeOf(object, old);
  const strict = context.featureEnabled('JobManagedBy');
  return foundInEach(CHECKS, (check) => {
    const detail = (strict || check.always) && check.find(change);
    return detail ? [finding(check, change.status, detail)] : NONE;
  });
}

function changeOf({ spec = {} as JobSpec, status = {} }: Job, oldJob: Job | undefined): Change {
  const old = oldJob?.status ?? {};
  const is = (condition: Condition): boolean => hasCondition(status, condition);
  const was = (condition: Condition): boolean => hasCondition(old, condition);
  return {
    spec,
    status,
    old,
    is,
    was,
    finished: is('Complete') || is('Failed'),
    wasFinished: was('Complete') || was('Failed'),
    turned: (...conditions) => conditions.some((condition) => is(condition) !== was(condition)),
    changed: (...members) => members.some((member) => !deepEqual(status[member], old[member])),
  };
}

function hasCondition({ conditions }: JobStatus, wanted: Condition): boolean {
  return (conditions ?? []).some(({ type, status }) => type === wanted && status === 'True');
}

function finding({ at, absent }: Check, status: JobStatus, detail: string): FieldError {
  const path = `.status.${at}`;
  if (absent) return required(path, detail);
  const value = status[at];
  if (at === 'conditions') return invalidWithoutValue(path, detail);
  return at === 'completionTime' ? invalidTime(path, value as string, detail) : invalid(path, value ?? 0, detail);
}

function unreadable(
  member: 'completedIndexes' | 'failedIndexes',
  { completions }: Partial<JobSpec>,
  status: JobStatus,
): string | undefined {
  const counted = completions === undefined ? 0 : countIndexes(status[member] ?? '', completions);
  return typeof counted === 'string' ? `error parsing ${member}: ${counted}` : undefined;
}

function overlap({ completions }: Partial<JobSpec>, { completedIndexes = '', failedIndexes }: JobStatus): string | undefined {
  if (completions === undefined || failedIndexes === undefined) return undefined;
  const index = firstOverlap(completedIndexes, failedIndexes, completions);
  return index === undefined ? undefined : `failedIndexes and completedIndexes overlap at index: ${index}`;
}
