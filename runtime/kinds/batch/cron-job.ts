import type { CronJob, CronJobSpec } from '../../../generated/batch/v1/types.ts';
import { type FieldError, invalid } from '../../contract/field-error.ts';
import type { KindRules, RuleContext } from '../../contract/kind-rules.ts';
import { NONE } from '../../validation/joined.ts';
import { nameWarnings } from '../core/name-warnings.ts';
import { hasNewGeneration } from '../generation.ts';
import { jobSpecWarnings } from './job-spec.ts';

const ZONE_IN_SCHEDULE = 'cannot use TZ or CRON_TZ in schedule, use timeZone field instead';
const ZONE_UNOFFICIAL =
  'CRON_TZ or TZ used in spec.spec.schedule is not officially supported, see https://${labelDomain}/docs/concepts/workloads/controllers/cron-jobs/ for more details';
const ZONE_TWICE = 'cannot use both timeZone field and TZ or CRON_TZ in schedule';

/** Those that had the zone in their schedule before it was refused there may keep it. */
export function zoneApart({ schedule, timeZone }: CronJobSpec, old: CronJobSpec | undefined): readonly FieldError[] {
  if (!schedule.includes('TZ')) return NONE;
  const had = old?.schedule.includes('TZ') === true;
  return had && timeZone === undefined ? NONE : [invalid('.schedule', schedule, had ? ZONE_TWICE : ZONE_IN_SCHEDULE)];
}

function warnings(object: CronJob, old: CronJob | undefined, context: RuleContext): string[] {
  const { spec } = object;
  return [
    ...nameWarnings(object, old),
    ...(hasNewGeneration(object, old)
      ? jobSpecWarnings(spec?.jobTemplate?.spec ?? { template: {} }, 'spec.jobTemplate.spec', context)
      : []),
    ...((spec?.schedule ?? '').includes('TZ') ? [context.text(ZONE_UNOFFICIAL)] : []),
  ];
}

export const rules: KindRules<CronJob> = { warnings };
