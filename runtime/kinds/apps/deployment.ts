import { type FieldError, forbidden, invalid, notSupported } from '../../contract/field-error.ts';
import type { KindRules, RuleContext } from '../../contract/kind.ts';
import type { ApiObject } from '../../contract/object.ts';
import { selectorText } from '../../selectors/label-selector.ts';
import { age } from '../cells/age.ts';
import { notNegative } from '../core/numbers.ts';
import { defaultPodTemplate } from '../core/pod-template-defaults.ts';
import { allNonNegative, atMost, notDecremented } from '../counts.ts';
import { unchanged } from '../immutable.ts';
import type { Struct } from '../struct.ts';
import { ROLLBACK } from './field-annotations.ts';
import { validateDeploymentRollingUpdate } from './rolling-update.ts';
import { containerCells, nameWarnings, templateWarnings, validateReplicaSetTemplate } from './workload.ts';

function defaults(object: ApiObject): void {
  const { spec } = object;
  defaultPodTemplate(spec.template);
  const { type, rollingUpdate } = spec.strategy;
  if (type === 'RollingUpdate') {
    const { maxUnavailable = '25%', maxSurge = '25%' } = rollingUpdate ?? {};
    spec.strategy = { type, rollingUpdate: { maxUnavailable, maxSurge } };
  }
}

function validate({ spec }: ApiObject, context: RuleContext): FieldError[] {
  return [
    ...notNegative(spec.replicas, 'spec.replicas'),
    ...validateReplicaSetTemplate(spec, 'spec', context),
    ...validateStrategy(spec.strategy, 'spec.strategy'),
    ...notNegative(spec.minReadySeconds, 'spec.minReadySeconds'),
    ...notNegative(spec.revisionHistoryLimit, 'spec.revisionHistoryLimit'),
    ...validateDeadline(spec, 'spec.progressDeadlineSeconds'),
  ];
}

function validateStrategy(strategy: Struct, path: string): FieldError[] {
  switch (strategy.type) {
    case 'RollingUpdate':
      return validateDeploymentRollingUpdate(strategy.rollingUpdate, `${path}.rollingUpdate`);
    case 'Recreate':
      if (strategy.rollingUpdate === undefined) return [];
      return [forbidden(`${path}.rollingUpdate`, "may not be specified when strategy `type` is 'Recreate'")];
    default:
      return [notSupported(path, strategy, ['Recreate', 'RollingUpdate'])];
  }
}

function validateDeadline(spec: Struct, path: string): FieldError[] {
  const deadline: number | undefined = spec.progressDeadlineSeconds;
  if (deadline === undefined) return [];
  return [
    ...notNegative(deadline, path),
    ...(deadline <= (spec.minReadySeconds ?? 0) ? [invalid(path, deadline, 'must be greater than minReadySeconds')] : []),
  ];
}

const COUNTS = [
  'observedGeneration',
  'replicas',
  'updatedReplicas',
  'readyReplicas',
  'availableReplicas',
  'unavailableReplicas',
  'collisionCount',
];

function validateStatusUpdate({ status }: ApiObject, old: ApiObject): FieldError[] {
  return [
    ...allNonNegative(status, 'status', COUNTS),
    ...atMost(
      status,
      'status',
      ['updatedReplicas', 'readyReplicas', 'availableReplicas'],
      status.replicas,
      'cannot be greater than status.replicas',
    ),
    ...atMost(status, 'status', ['availableReplicas'], status.readyReplicas, 'cannot be greater than readyReplicas'),
    ...notDecremented(status.collisionCount, old.status?.collisionCount, 'status.collisionCount'),
  ];
}

export const rules: KindRules = {
  defaults,
  /** Labels stay as they were: besides the status, only annotations go in through it. */
  prepareForStatusUpdate(object, old) {
    if (old.metadata.labels === undefined) delete object.metadata.labels;
    else object.metadata.labels = old.metadata.labels;
  },
  validate,
  validateUpdate: (object, old) => unchanged(object.spec.selector, old.spec.selector, 'spec.selector'),
  validateStatusUpdate,
  fieldAnnotations: [ROLLBACK],
  warnings: (object, old, context) => [...nameWarnings(object, old), ...templateWarnings(object, old, context)],
  cells: (object, now) => [
    object.metadata.name,
    `${object.status?.readyReplicas ?? 0}/${object.spec.replicas ?? 0}`,
    object.status?.updatedReplicas ?? 0,
    object.status?.availableReplicas ?? 0,
    age(object.metadata.creationTimestamp, now),
    ...containerCells(object),
    selectorText(object.spec.selector),
  ],
};
