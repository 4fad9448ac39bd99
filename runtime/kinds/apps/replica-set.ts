import type { FieldError } from '../../contract/field-error.ts';
import type { KindRules, RuleContext } from '../../contract/kind.ts';
import type { ApiObject } from '../../contract/object.ts';
import { age } from '../cells/age.ts';
import { notNegative } from '../core/numbers.ts';
import { defaultPodTemplate } from '../core/pod-template-defaults.ts';
import { allNonNegative, atMost } from '../counts.ts';
import { unchanged } from '../immutable.ts';
import { containerCells, nameWarnings, selectorCell, templateWarnings, validateReplicaSetTemplate } from './workload.ts';

function validate({ spec }: ApiObject, context: RuleContext): FieldError[] {
  return [
    ...notNegative(spec.replicas, 'spec.replicas'),
    ...notNegative(spec.minReadySeconds, 'spec.minReadySeconds'),
    ...validateReplicaSetTemplate(spec, 'spec', context),
  ];
}

const PARTS = ['fullyLabeledReplicas', 'readyReplicas', 'availableReplicas'];

function validateStatusUpdate({ status }: ApiObject): FieldError[] {
  return [
    ...allNonNegative(status, 'status', ['replicas', ...PARTS, 'observedGeneration']),
    ...atMost(status, 'status', PARTS, status.replicas, 'cannot be greater than status.replicas'),
    ...atMost(status, 'status', ['availableReplicas'], status.readyReplicas, 'cannot be greater than readyReplicas'),
  ];
}

export const rules: KindRules = {
  defaults: (object) => defaultPodTemplate(object.spec.template),
  validate,
  /** 1.32 validates an updated ReplicaSet twice and reports each finding twice. */
  validateUpdate: (object, old, context) => [
    ...validate(object, context),
    ...unchanged(object.spec.selector, old.spec.selector, 'spec.selector'),
  ],
  validateStatusUpdate,
  warnings: (object, old, context) => [...nameWarnings(object, old), ...templateWarnings(object, old, context)],
  cells: (object, now) => [
    object.metadata.name,
    object.spec.replicas ?? 0,
    object.status?.replicas ?? 0,
    object.status?.readyReplicas ?? 0,
    age(object.metadata.creationTimestamp, now),
    ...containerCells(object),
    selectorCell(object),
  ],
};
