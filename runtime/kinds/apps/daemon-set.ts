import { type FieldError, invalid, notSupported, required } from '../../contract/field-error.ts';
import type { KindRules, RuleContext } from '../../contract/kind.ts';
import type { ApiObject } from '../../contract/object.ts';
import { deepEqual } from '../../schema/equal.ts';
import { isEmpty, isUsable, labelsText } from '../../selectors/label-selector.ts';
import { age } from '../cells/age.ts';
import { notNegative } from '../core/numbers.ts';
import { defaultPodTemplate } from '../core/pod-template-defaults.ts';
import { validatePodTemplate } from '../core/pod-template-validation.ts';
import { allNonNegative, notDecremented } from '../counts.ts';
import { unchanged } from '../immutable.ts';
import { validateLabelSelector } from '../metadata/labels.ts';
import type { Struct } from '../struct.ts';
import { TEMPLATE_GENERATION } from './field-annotations.ts';
import { validateDaemonSetRollingUpdate } from './rolling-update.ts';
import { containerCells, selectorCell, templateWarnings, validateRunsForever, validateTemplateLabels } from './workload.ts';

function defaults(object: ApiObject): void {
  const { spec } = object;
  defaultPodTemplate(spec.template);
  const { type, rollingUpdate } = spec.updateStrategy;
  if (type !== 'RollingUpdate' && rollingUpdate === undefined) return;
  const { maxUnavailable = type === 'RollingUpdate' ? 1 : 0, maxSurge = 0 } = rollingUpdate ?? {};
  spec.updateStrategy = { type, rollingUpdate: { maxUnavailable, maxSurge } };
}

function templateGeneration(object: ApiObject): number {
  const value = Number(object.metadata.annotations?.[TEMPLATE_GENERATION]);
  return Number.isSafeInteger(value) ? value : 0;
}

function setTemplateGeneration(object: ApiObject, value: number): void {
  object.metadata.annotations = { ...object.metadata.annotations, [TEMPLATE_GENERATION]: String(value) };
}

function validate({ spec }: ApiObject, context: RuleContext): FieldError[] {
  const { selector, template } = spec;
  return [
    ...validateLabelSelector(selector ?? undefined, 'spec.selector'),
    ...(isUsable(selector) ? validateTemplateLabels(selector, template, 'spec.template') : []),
    ...(isEmpty(selector) ? [invalid('spec.selector', selector, 'empty selector is invalid for daemonset')] : []),
    ...validatePodTemplate(template, 'spec.template', context),
    ...validateRunsForever(template, 'spec.template', 'DaemonSet'),
    ...notNegative(spec.minReadySeconds, 'spec.minReadySeconds'),
    ...validateUpdateStrategy(spec.updateStrategy, 'spec.updateStrategy'),
    ...notNegative(spec.revisionHistoryLimit, 'spec.revisionHistoryLimit'),
  ];
}

function validateUpdateStrategy(strategy: Struct, path: string): FieldError[] {
  switch (strategy.type) {
    case 'OnDelete':
      return [];
    case 'RollingUpdate':
      if (strategy.rollingUpdate === undefined) return [required(`${path}.rollingUpdate`)];
      return validateDaemonSetRollingUpdate(strategy.rollingUpdate, `${path}.rollingUpdate`);
    default:
      return [notSupported(path, strategy, ['RollingUpdate', 'OnDelete'])];
  }
}

const COUNTS = [
  'currentNumberScheduled',
  'numberMisscheduled',
  'desiredNumberScheduled',
  'numberReady',
  'observedGeneration',
  'updatedNumberScheduled',
  'numberAvailable',
  'numberUnavailable',
  'collisionCount',
];

export const rules: KindRules = {
  defaults,
  prepareForCreate: (object) => setTemplateGeneration(object, Math.max(templateGeneration(object), 1)),
  prepareForUpdate(object, old) {
    const changed = !deepEqual(object.spec.template, old.spec.template);
    setTemplateGeneration(object, templateGeneration(old) + (changed ? 1 : 0));
  },
  prepareForStatusUpdate: (object, old) => setTemplateGeneration(object, templateGeneration(old)),
  validate,
  /** 1.32 validates an updated DaemonSet twice and reports each finding twice. */
  validateUpdate: (object, old, context) => [
    ...validate(object, context),
    ...unchanged(object.spec.selector, old.spec.selector, 'spec.selector'),
  ],
  validateStatusUpdate: ({ status }, old) => [
    ...allNonNegative(status, 'status', COUNTS),
    ...notDecremented(status.collisionCount, old.status?.collisionCount, 'status.collisionCount'),
  ],
  warnings: templateWarnings,
  fieldAnnotations: [TEMPLATE_GENERATION],
  cells: (object, now) => [
    object.metadata.name,
    object.status?.desiredNumberScheduled ?? 0,
    object.status?.currentNumberScheduled ?? 0,
    object.status?.numberReady ?? 0,
    object.status?.updatedNumberScheduled ?? 0,
    object.status?.numberAvailable ?? 0,
    labelsText(object.spec.template?.spec?.nodeSelector),
    age(object.metadata.creationTimestamp, now),
    ...containerCells(object),
    selectorCell(object),
  ],
};
