import type { JobSpec } from '../../../generated/batch/v1/types.ts';
import type { Affinity, PodTemplateSpec } from '../../../generated/core/v1/types.ts';
import { type FieldError, invalid } from '../../contract/field-error.ts';
import type { KindRules, RuleContext } from '../../contract/kind.ts';
import type { ApiObject } from '../../contract/object.ts';
import { dnsLabel } from '../../formats/names.ts';
import { deepEqual } from '../../schema/equal.ts';
import { nameWarnings } from '../apps/workload.ts';
import { unchanged } from '../immutable.ts';
import { NONE } from '../joined.ts';
import { generateSelector, hasPrefixedLabels, validateGeneratedSelector, validateSelector } from './job-selector.ts';
import { isIndexed, jobSpecWarnings } from './job-spec.ts';
import { validateJobStatus } from './job-status.ts';

/** The same map on purpose: labels that the server adds to the template become the job's too. */
function defaults({ metadata, spec }: ApiObject): void {
  const labels: Record<string, string> | undefined = spec.template?.metadata?.labels;
  if (labels !== undefined && Object.keys(metadata.labels ?? {}).length === 0) metadata.labels = labels;
}

/** Members that nobody can begin to use while their gate is off. */
const GATED: readonly (readonly [member: keyof JobSpec, gate: string])[] = [
  ['podFailurePolicy', 'JobPodFailurePolicy'],
  ['successPolicy', 'JobSuccessPolicy'],
  ['backoffLimitPerIndex', 'JobBackoffLimitPerIndex'],
  ['maxFailedIndexes', 'JobBackoffLimitPerIndex'],
  ['podReplacementPolicy', 'JobPodReplacementPolicy'],
];

function dropGated(spec: JobSpec, old: JobSpec | undefined, context: RuleContext): void {
  for (const [member, gate] of GATED)
    if (spec[member] !== undefined && old?.[member] === undefined && !context.featureEnabled(gate)) delete spec[member];
}

function prepareForCreate(object: ApiObject, context: RuleContext): void {
  const spec: JobSpec = object.spec;
  generateSelector(object, context);
  dropGated(spec, undefined, context);
  if (spec.managedBy !== undefined && !context.featureEnabled('JobManagedBy')) delete spec.managedBy;
  // A rule about indexes that are not tracked.
  if (spec.podFailurePolicy?.rules && !context.featureEnabled('JobBackoffLimitPerIndex'))
    spec.podFailurePolicy.rules = spec.podFailurePolicy.rules.filter((rule) => rule.action !== 'FailIndex');
}

/** A job that was stored may be from before labels with prefixes. */
export function generatedSelector(object: ApiObject, old: ApiObject | undefined, context: RuleContext): readonly FieldError[] {
  return validateGeneratedSelector(object, old === undefined || hasPrefixedLabels(old, context), context);
}

export const ownSelector = ({ spec }: ApiObject): readonly FieldError[] => validateSelector(spec, '.spec');

/** Pods of an indexed job are named after it and their index. */
export function hostName({ metadata, spec }: ApiObject): readonly FieldError[] {
  if (!isIndexed(spec) || !(spec.completions > 0)) return NONE;
  const longest = `${metadata.name}-${spec.completions - 1}`;
  if (dnsLabel(longest).length === 0) return NONE;
  return [invalid('.metadata.name', metadata.name, `will not able to create pod with invalid DNS label: ${longest}`)];
}

const IMMUTABLE = ['completionMode', 'podFailurePolicy', 'backoffLimitPerIndex', 'managedBy', 'successPolicy'] as const;

/** 1.32 looks at the selector of an updated job twice. */
export function specChanges(object: ApiObject, old: ApiObject | undefined, context: RuleContext): readonly FieldError[] {
  if (old === undefined) return NONE;
  const spec: JobSpec = object.spec;
  return [
    ...validateSelector(spec, '.spec'),
    ...validateCompletions(spec, old.spec, context),
    ...unchanged(spec.selector, old.spec.selector, '.spec.selector'),
    ...unchanged(spec.template, comparableTemplate(spec.template, old), '.spec.template'),
    ...IMMUTABLE.flatMap((member) => unchanged(spec[member], old.spec[member], `.spec.${member}`)),
  ];
}

/** An indexed job grows and shrinks with the number of pods that run at once. */
function validateCompletions(spec: JobSpec, old: JobSpec, context: RuleContext): FieldError[] {
  if (!isIndexed(spec) || !context.featureEnabled('ElasticIndexedJob'))
    return unchanged(spec.completions, old.completions, '.spec.completions');
  if (spec.completions === undefined || deepEqual(spec.completions, old.completions) || spec.completions === spec.parallelism) return [];
  return [invalid('.spec.completions', spec.completions, 'can only be modified in tandem with spec.parallelism')];
}

/**
 * The old template with those parts of the new one that may change: a suspended job that has never run can still be told where to run,
 * by queueing controllers for example.
 */
function comparableTemplate(template: PodTemplateSpec, { spec, status }: ApiObject): object {
  const old: PodTemplateSpec = spec.template;
  if (spec.suspend !== true || status?.startTime !== undefined) return old;
  const { labels, annotations } = template.metadata ?? {};
  const { nodeSelector, tolerations, schedulingGates, affinity } = template.spec ?? {};
  return {
    ...old,
    metadata: { ...old.metadata, labels, annotations },
    spec: { ...old.spec, nodeSelector, tolerations, schedulingGates, affinity: withNodeAffinity(old.spec?.affinity, affinity) },
  };
}

function withNodeAffinity(old: Affinity | undefined, affinity: Affinity | undefined): Affinity | undefined {
  const result = { ...old, nodeAffinity: affinity?.nodeAffinity };
  const empty = Object.values(result).every((member) => member === undefined);
  return affinity === undefined && empty ? undefined : result;
}

function warnings(object: ApiObject, old: ApiObject | undefined, context: RuleContext): string[] {
  if (old !== undefined && object.metadata.generation === old.metadata.generation) return [];
  return [...nameWarnings(object, old), ...jobSpecWarnings(object.spec, 'spec', context)];
}

const ORPHANS =
  'child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or set propagationPolicy=Orphan to suppress this warning';

export const rules: KindRules = {
  defaults,
  prepareForCreate,
  prepareForUpdate: (object, old, context) => dropGated(object.spec, old.spec, context),
  validateStatusUpdate: validateJobStatus,
  warnings,
  deletionWarnings: ({ propagationPolicy, orphanDependents }) =>
    propagationPolicy === undefined && orphanDependents === undefined ? [ORPHANS] : [],
  selectableField: ({ status }, path) => (path === 'status.successful' ? String(status?.succeeded ?? 0) : undefined),
};
