/** Specifications of jobs: of jobs themselves and of the templates that cron jobs make jobs from. */
import type { JobSpec } from '../../../generated/batch/v1/types.ts';
import type { RuleContext } from '../../contract/kind-rules.ts';
import { podTemplateWarnings } from '../core/pods/pod-warnings.ts';

/** completions beyond which the status of a job could outgrow what is stored */
const MANY_COMPLETIONS = 100_000;
const MAX_PARALLELISM_OF_MANY = 10_000;

export const isIndexed = ({ completionMode }: Pick<JobSpec, 'completionMode'>): boolean => completionMode === 'Indexed';

/** The scope of policies: rules in them look at the rest of the spec. */
export const jobSpec = (spec: JobSpec): JobSpec => spec;

/** @param path such as `spec` or `spec.jobTemplate.spec` */
export function jobSpecWarnings(spec: JobSpec, path: string, context: RuleContext): string[] {
  const outgrows = isIndexed(spec) && (spec.completions ?? 0) > MANY_COMPLETIONS && (spec.parallelism ?? 0) > MAX_PARALLELISM_OF_MANY;
  return [
    ...(outgrows
      ? [
          `${path}: In Indexed Jobs with a number of completions higher than 10^5 and a parallelism higher than 10^4, Kubernetes might not be able to track completedIndexes when a big number of indexes fail`,
        ]
      : []),
    ...podTemplateWarnings(spec.template, `${path}.template.`, context),
  ];
}
