/** Templates of pods, in every kind that makes pods. */
import { type FieldError, forbidden } from '../../contract/field-error.ts';
import type { RuleContext } from '../../contract/kind.ts';
import { validateAnnotations, validateLabels } from '../metadata/labels.ts';
import type { Struct } from '../struct.ts';
import { validatePodAnnotations, validateProfileAgreement } from './pod-annotations.ts';
import { validatePodSpec } from './pod-spec-validation.ts';

/**
 * @param template a PodTemplateSpec with its defaults; absent: an empty one
 * @param path its path in the object, such as `spec.template`; 1.32 reports labels and annotations right below it
 */
export function validatePodTemplate(template: Struct, path: string, context: RuleContext): FieldError[] {
  const { labels, annotations } = template?.metadata ?? {};
  const spec: Struct = template?.spec ?? {};
  return [
    ...validateLabels(labels, `${path}.labels`),
    ...validateAnnotations(annotations, `${path}.annotations`),
    ...validatePodAnnotations(annotations, spec, `${path}.annotations`, context),
    ...validatePodSpec(spec, `${path}.spec`, { context, isPod: false, podName: '' }),
    ...validateProfileAgreement(annotations, spec, `${path}.spec`, context),
    ...((spec.ephemeralContainers ?? []).length > 0
      ? [forbidden(`${path}.spec.ephemeralContainers`, 'ephemeral containers not allowed in pod template')]
      : []),
  ];
}
