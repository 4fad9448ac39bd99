import type { StatefulSetSpec } from '../../../generated/apps/v1/types.ts';
import type { FieldError } from '../../contract/field-error.ts';
import type { KindRules, RuleContext } from '../../contract/kind-rules.ts';
import type { ApiObject } from '../../contract/object.ts';
import { deepEqual } from '../../schema/equal.ts';
import { joined } from '../../validation/joined.ts';
import { validatePodAnnotations } from '../core/pods/pod-annotations.ts';
import { storageWarnings } from '../core/volumes/pod-volume-warnings.ts';
import { validateAnnotations, validateLabels } from '../metadata/labels.ts';
import { selectorMatchesTemplate, templateWarnings } from './workload.ts';

/** The pods themselves are not checked: their volumes come partly from claims. 1.32 leaves `metadata` out of these paths. */
export function template(spec: StatefulSetSpec, _old: StatefulSetSpec | undefined, context: RuleContext): readonly FieldError[] {
  const { metadata, spec: podSpec } = spec.template;
  return joined(
    selectorMatchesTemplate(spec, undefined, context),
    validateLabels(metadata?.labels, '.template.labels'),
    validateAnnotations(metadata?.annotations, '.template.annotations'),
    validatePodAnnotations(metadata?.annotations, podSpec, '.template.annotations', context),
  );
}

const MUTABLE = new Set(['replicas', 'ordinals', 'template', 'updateStrategy', 'persistentVolumeClaimRetentionPolicy', 'minReadySeconds']);

export function changesMutableMembers(spec: StatefulSetSpec, old: StatefulSetSpec | undefined): boolean {
  const [members, before] = [new Map(Object.entries(spec)), new Map(Object.entries(old ?? {}))];
  const names = new Set([...members.keys(), ...before.keys()]);
  return [...names].every((name) => MUTABLE.has(name) || deepEqual(members.get(name), before.get(name)));
}

function warnings(object: ApiObject, old: ApiObject | undefined, context: RuleContext): string[] {
  const { volumeClaimTemplates = [] }: StatefulSetSpec = object.spec;
  return [
    ...templateWarnings(object, old, context),
    // The path is that of the claim when it is created, and has a capital Spec when it is updated.
    ...volumeClaimTemplates.flatMap(({ spec }, index) =>
      storageWarnings(spec, `spec.volumeClaimTemplates[${index}]${old === undefined ? '' : '.Spec'}`),
    ),
  ];
}

export const rules: KindRules = { warnings };
