import type { CronJob, CronJobSpec, JobTemplateSpec } from '../../../generated/batch/v1/types.ts';
import { type FieldError, invalid, notSupported, required } from '../../contract/field-error.ts';
import type { KindRules, RuleContext } from '../../contract/kind.ts';
import { cron } from '../../formats/cron.ts';
import { nameWarnings } from '../apps/workload.ts';
import { invalidAs } from '../core/findings.ts';
import { NONE } from '../joined.ts';
import { jobSpecWarnings } from './job-spec.ts';

/** Those that had the zone in their schedule before it was refused there may keep it. */
export function schedule({ schedule: text, timeZone: zone }: CronJobSpec, old: CronJobSpec | undefined): readonly FieldError[] {
  if (text === '') return [required('.schedule')];
  const errors = [...invalidAs(cron(text), '.schedule', text)];
  if (!text.includes('TZ')) return errors;
  if (!(old?.schedule ?? '').includes('TZ'))
    errors.push(invalid('.schedule', text, 'cannot use TZ or CRON_TZ in schedule, use timeZone field instead'));
  else if (zone !== undefined) errors.push(invalid('.schedule', text, 'cannot use both timeZone field and TZ or CRON_TZ in schedule'));
  return errors;
}

export function noManualSelector({ spec }: JobTemplateSpec): readonly FieldError[] {
  return spec?.manualSelector === true ? [notSupported('.spec.manualSelector', true, ['nil', 'false'])] : NONE;
}

function warnings(object: CronJob, old: CronJob | undefined, context: RuleContext): string[] {
  const { spec } = object;
  const asks = old === undefined || object.metadata.generation !== old.metadata.generation;
  return [
    ...nameWarnings(object, old),
    ...(asks ? jobSpecWarnings(spec?.jobTemplate?.spec ?? { template: {} }, 'spec.jobTemplate.spec', context) : []),
    ...((spec?.schedule ?? '').includes('TZ')
      ? [
          context.text(
            'CRON_TZ or TZ used in spec.spec.schedule is not officially supported, see https://${labelDomain}/docs/concepts/workloads/controllers/cron-jobs/ for more details',
          ),
        ]
      : []),
  ];
}

export const rules: KindRules<CronJob> = { warnings };
