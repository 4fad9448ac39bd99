import { type FieldError, forbidden, invalid, notSupported, required } from '../../contract/field-error.ts';
import type { KindRules, RuleContext } from '../../contract/kind.ts';
import type { ApiObject } from '../../contract/object.ts';
import { deepEqual } from '../../schema/equal.ts';
import { isUsable } from '../../selectors/label-selector.ts';
import { age } from '../cells/age.ts';
import { notNegative } from '../core/numbers.ts';
import { validatePodAnnotations } from '../core/pod-annotations.ts';
import { defaultPodTemplate } from '../core/pod-template-defaults.ts';
import { isWhole } from '../core/quantities.ts';
import { allNonNegative, atMost, notDecremented } from '../counts.ts';
import { validateAnnotations, validateLabels } from '../metadata/labels.ts';
import type { Struct } from '../struct.ts';
import { validateStatefulSetRollingUpdate } from './rolling-update.ts';
import { containerCells, templateWarnings, validateRunsForever, validateSelector, validateTemplateLabels } from './workload.ts';

function defaults(object: ApiObject): void {
  const { spec } = object;
  defaultPodTemplate(spec.template);
  // A strategy that was named keeps what was said of it; one that was not gets its parameters too.
  if (spec.updateStrategy.type === undefined)
    spec.updateStrategy = { type: 'RollingUpdate', rollingUpdate: { partition: 0, ...spec.updateStrategy.rollingUpdate } };
  if (spec.volumeClaimTemplates !== undefined) spec.volumeClaimTemplates = spec.volumeClaimTemplates.map(showKind);
}

/** A claim in a list is a whole object and shows its kind, whatever the client wrote there. */
function showKind({ kind: _kind, apiVersion: _apiVersion, ...members }: Struct): Struct {
  return { kind: 'PersistentVolumeClaim', apiVersion: 'v1', ...members };
}

/** While its gate is off nobody can begin to use maxUnavailable. */
function dropGated({ spec }: ApiObject, old: ApiObject | undefined, context: RuleContext): void {
  if (spec.updateStrategy.rollingUpdate?.maxUnavailable === undefined || context.featureEnabled('MaxUnavailableStatefulSet')) return;
  if (old?.spec.updateStrategy.rollingUpdate?.maxUnavailable !== undefined) return;
  const { maxUnavailable: _gated, ...rollingUpdate } = spec.updateStrategy.rollingUpdate;
  spec.updateStrategy = { ...spec.updateStrategy, rollingUpdate };
}

function validate({ spec }: ApiObject, context: RuleContext): FieldError[] {
  return [
    ...validatePodManagement(spec.podManagementPolicy, 'spec.podManagementPolicy'),
    ...validateUpdateStrategy(spec.updateStrategy, 'spec.updateStrategy'),
    ...validateRetention(spec.persistentVolumeClaimRetentionPolicy, 'spec.persistentVolumeClaimRetentionPolicy'),
    ...notNegative(spec.replicas, 'spec.replicas'),
    ...notNegative(spec.minReadySeconds, 'spec.minReadySeconds'),
    ...notNegative(spec.ordinals?.start, 'spec.ordinals.start'),
    ...validateSelector(spec.selector, 'spec.selector', 'empty selector is invalid for statefulset'),
    ...(isUsable(spec.selector) ? validateTemplate(spec, 'spec.template', context) : [invalid('spec.selector', spec.selector, '')]),
    ...validateRunsForever(spec.template, 'spec.template', 'StatefulSet'),
  ];
}

function validatePodManagement(policy: string, path: string): FieldError[] {
  if (policy === 'OrderedReady' || policy === 'Parallel') return [];
  return [invalid(path, policy, "must be 'OrderedReady' or 'Parallel'")];
}

function validateUpdateStrategy(strategy: Struct, path: string): FieldError[] {
  const { type, rollingUpdate } = strategy;
  switch (type) {
    case undefined:
      return [required(path)];
    case 'OnDelete':
      if (rollingUpdate === undefined) return [];
      return [invalid(`${path}.rollingUpdate`, rollingUpdate, "only allowed for updateStrategy 'RollingUpdate'")];
    case 'RollingUpdate':
      return rollingUpdate === undefined ? [] : validateStatefulSetRollingUpdate(rollingUpdate, `${path}.rollingUpdate`);
    default:
      return [invalid(path, strategy, "must be 'RollingUpdate' or 'OnDelete'")];
  }
}

const RETENTIONS = ['Retain', 'Delete'];

function validateRetention(policy: Struct | undefined, path: string): FieldError[] {
  if (policy === undefined) return [];
  return ['whenDeleted', 'whenScaled']
    .filter((member) => !RETENTIONS.includes(policy[member]))
    .map((member) => notSupported(`${path}.${member}`, policy[member], RETENTIONS));
}

/** The pods themselves are not checked: their volumes come partly from claims. 1.32 leaves `metadata` out of these paths. */
function validateTemplate({ selector, template }: Struct, path: string, context: RuleContext): FieldError[] {
  const annotations = template.metadata?.annotations;
  return [
    ...validateTemplateLabels(selector, template, path),
    ...validateLabels(template.metadata?.labels, `${path}.labels`),
    ...validateAnnotations(annotations, `${path}.annotations`),
    ...validatePodAnnotations(annotations, template.spec ?? {}, `${path}.annotations`, context),
  ];
}

const MUTABLE = new Set(['replicas', 'ordinals', 'template', 'updateStrategy', 'persistentVolumeClaimRetentionPolicy', 'minReadySeconds']);

function validateUpdate({ spec }: ApiObject, { spec: oldSpec }: ApiObject): FieldError[] {
  const members = new Set([...Object.keys(spec), ...Object.keys(oldSpec)]);
  const changed = [...members].some((member) => !MUTABLE.has(member) && !deepEqual(spec[member], oldSpec[member]));
  if (!changed) return [];
  const detail =
    "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', " +
    "'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden";
  return [forbidden('spec', detail)];
}

const PARTS = ['readyReplicas', 'currentReplicas', 'updatedReplicas', 'availableReplicas'];

function validateStatusUpdate({ status }: ApiObject, old: ApiObject): FieldError[] {
  return [
    ...allNonNegative(status, 'status', ['replicas', ...PARTS, 'observedGeneration', 'collisionCount']),
    ...atMost(status, 'status', PARTS, status.replicas, 'cannot be greater than status.replicas'),
    ...atMost(status, 'status', ['availableReplicas'], status.readyReplicas, 'cannot be greater than status.readyReplicas'),
    ...notDecremented(status.collisionCount, old.status?.collisionCount, 'status.collisionCount'),
  ];
}

function warnings(object: ApiObject, old: ApiObject | undefined, context: RuleContext): string[] {
  const { volumeClaimTemplates, revisionHistoryLimit } = object.spec;
  const claims: Struct[] = old === undefined || object.metadata.generation !== old.metadata.generation ? (volumeClaimTemplates ?? []) : [];
  return [
    ...templateWarnings(object, old, context),
    ...claims.flatMap((claim, index) => claimWarnings(claim, `spec.volumeClaimTemplates[${index}]${old === undefined ? '' : '.Spec'}`)),
    ...(revisionHistoryLimit < 0
      ? ['spec.revisionHistoryLimit: a negative value retains all historical revisions; a value >= 0 is recommended']
      : []),
  ];
}

/** @param path as 1.32 has it: of the claim when it is created, with a capital Spec when it is updated */
function claimWarnings(claim: Struct, path: string): string[] {
  const storage: string | undefined = claim.spec.resources?.requests?.storage;
  if (storage === undefined || isWhole(storage)) return [];
  return [`${path}.resources.requests[storage]: fractional byte value ${JSON.stringify(storage)} is invalid, must be an integer`];
}

export const rules: KindRules = {
  defaults,
  prepareForCreate: (object, context) => dropGated(object, undefined, context),
  prepareForUpdate: dropGated,
  validate,
  validateUpdate,
  validateStatusUpdate,
  warnings,
  cells: (object, now) => [
    object.metadata.name,
    `${object.status?.readyReplicas ?? 0}/${object.spec.replicas ?? 0}`,
    age(object.metadata.creationTimestamp, now),
    ...containerCells(object),
  ],
};
