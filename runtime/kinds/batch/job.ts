import type { Job, JobSpec, JobStatus } from '../../../generated/batch/v1/types.ts';
import type { Affinity, PodTemplateSpec } from '../../../generated/core/v1/types.ts';
import { type FieldError, invalid } from '../../contract/field-error.ts';
import type { KindRules, RuleContext } from '../../contract/kind-rules.ts';
import type { ApiObject } from '../../contract/object.ts';
import { dnsLabel } from '../../formats/names.ts';
import { NONE } from '../../validation/joined.ts';
import { nameWarnings } from '../core/name-warnings.ts';
import { hasNewGeneration } from '../generation.ts';
import { unchanged } from '../immutable.ts';
import { generateSelector } from './job-selector.ts';
import { isIndexed, jobSpecWarnings } from './job-spec.ts';

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
  // Rules about indexes that are not tracked. An empty list is stored as none.
  if (spec.podFailurePolicy?.rules && !context.featureEnabled('JobBackoffLimitPerIndex')) {
    const rules = spec.podFailurePolicy.rules.filter(({ action }) => action !== 'FailIndex');
    Object.assign(spec.podFailurePolicy, { rules: rules.length === 0 ? null : rules });
  }
}

/** Pods of an indexed job are named after it and their index. */
export function hostName({ metadata, spec }: Job): readonly FieldError[] {
  if (spec === undefined || !isIndexed(spec) || !spec.completions || spec.completions < 0) return NONE;
  const longest = `${metadata.name}-${spec.completions - 1}`;
  if (dnsLabel(longest).length === 0) return NONE;
  return [invalid('.metadata.name', metadata.name, `will not able to create pod with invalid DNS label: ${longest}`)];
}

/** An indexed job grows and shrinks with the number of pods that run at once. */
export function inTandem(completions: number, old: number | undefined, _context: RuleContext, _scope: unknown, { spec }: Job): boolean {
  return completions === old || completions === spec?.parallelism;
}

export function templateStays({ spec }: Job, old: Job | undefined): readonly FieldError[] {
  if (spec === undefined || old?.spec === undefined) return NONE;
  return unchanged(spec.template, comparableTemplate(spec.template, old.spec, old.status), '.spec.template');
}

/**
 * The old template with those parts of the new one that may change: a suspended job that has never run can still be told where to run,
 * by queueing controllers for example.
 */
function comparableTemplate(template: PodTemplateSpec, { template: old, suspend }: JobSpec, status: JobStatus | undefined): object {
  if (suspend !== true || status?.startTime !== undefined) return old;
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
  return hasNewGeneration(object, old) ? [...nameWarnings(object, old), ...jobSpecWarnings(object.spec, 'spec', context)] : [];
}

const ORPHANS =
  'child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or set propagationPolicy=Orphan to suppress this warning';

export const rules: KindRules = {
  defaults,
  prepareForCreate,
  prepareForUpdate: (object, old, context) => dropGated(object.spec, old.spec, context),
  warnings,
  deletionWarnings: ({ propagationPolicy, orphanDependents }) =>
    propagationPolicy === undefined && orphanDependents === undefined ? [ORPHANS] : [],
  selectableField: ({ status }, path) => (path === 'status.successful' ? String(status?.succeeded ?? 0) : undefined),
};
