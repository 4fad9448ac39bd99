import { type FieldError, invalid, notSupported, required } from '../../contract/field-error.ts';
import type { KindRules, RuleContext } from '../../contract/kind.ts';
import type { ApiObject } from '../../contract/object.ts';
import { cron } from '../../formats/cron.ts';
import { isLongerThan, maxLength } from '../../formats/messages.ts';
import { timeZone } from '../../formats/time-zones.ts';
import { nameWarnings } from '../apps/workload.ts';
import { invalidAs } from '../core/findings.ts';
import { notNegative } from '../core/numbers.ts';
import type { Struct } from '../struct.ts';
import { jobSpecWarnings, validateJobSpec } from './job-spec.ts';

/** Jobs are named after their cron job with eleven characters of time, and have 63 at most. */
const MAX_NAME = 52;

const POLICIES = ['Allow', 'Forbid', 'Replace'];

/** @param old absent when the object is new */
function validateSpec(spec: Struct, old: Struct | undefined): FieldError[] {
  const { concurrencyPolicy: policy = '', timeZone: zone } = spec;
  return [
    ...validateSchedule(spec, old, 'spec.schedule'),
    ...notNegative(spec.startingDeadlineSeconds, 'spec.startingDeadlineSeconds'),
    ...(zone === undefined || zone === old?.timeZone ? [] : invalidAs(timeZone(zone), 'spec.timeZone', zone)),
    ...(policy === '' ? [required('spec.concurrencyPolicy')] : []),
    ...(policy === '' || POLICIES.includes(policy) ? [] : [notSupported('spec.concurrencyPolicy', policy, POLICIES)]),
    ...validateJobTemplate(spec.jobTemplate, 'spec.jobTemplate.spec'),
    ...notNegative(spec.successfulJobsHistoryLimit, 'spec.successfulJobsHistoryLimit'),
    ...notNegative(spec.failedJobsHistoryLimit, 'spec.failedJobsHistoryLimit'),
  ];
}

function validateNew({ metadata, spec }: ApiObject): FieldError[] {
  return [
    ...validateSpec(spec ?? {}, undefined),
    ...(isLongerThan(metadata.name ?? '', MAX_NAME) ? [invalid('metadata.name', metadata.name, maxLength(MAX_NAME))] : []),
  ];
}

function validateSchedule({ schedule = '', timeZone: zone }: Struct, old: Struct | undefined, path: string): FieldError[] {
  if (schedule === '') return [required(path)];
  const errors = [...invalidAs(cron(schedule), path, schedule)];
  if (!schedule.includes('TZ')) return errors;
  // Those that had the zone in their schedule before it was refused there may keep it.
  if (!(old?.schedule ?? '').includes('TZ'))
    errors.push(invalid(path, schedule, 'cannot use TZ or CRON_TZ in schedule, use timeZone field instead'));
  else if (zone !== undefined) errors.push(invalid(path, schedule, 'cannot use both timeZone field and TZ or CRON_TZ in schedule'));
  return errors;
}

function validateJobTemplate(template: Struct, path: string): FieldError[] {
  const spec: Struct = template?.spec ?? {};
  return [
    ...validateJobSpec(spec, path),
    ...(spec.selector === undefined ? [] : [invalid(`${path}.selector`, spec.selector, '`selector` will be auto-generated')]),
    ...(spec.manualSelector === true ? [notSupported(`${path}.manualSelector`, true, ['nil', 'false'])] : []),
  ];
}

function warnings(object: ApiObject, old: ApiObject | undefined, context: RuleContext): string[] {
  const { spec } = object;
  const asks = old === undefined || object.metadata.generation !== old.metadata.generation;
  return [
    ...nameWarnings(object, old),
    ...(asks ? jobSpecWarnings(spec.jobTemplate?.spec ?? {}, 'spec.jobTemplate.spec', context) : []),
    ...((spec.schedule ?? '').includes('TZ')
      ? [
          context.text(
            'CRON_TZ or TZ used in spec.spec.schedule is not officially supported, see https://${labelDomain}/docs/concepts/workloads/controllers/cron-jobs/ for more details',
          ),
        ]
      : []),
  ];
}

export const rules: KindRules = {
  /** Names and zones of old cron jobs are not held against them. */
  validateCreate: validateNew,
  validateUpdate: ({ spec }, old) => validateSpec(spec ?? {}, old.spec ?? {}),
  warnings,
};
