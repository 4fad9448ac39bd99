/** Templates of pods, in every kind that makes pods. */
import type { PodTemplateSpec } from '../../../../generated/core/v1/types.ts';
import type { FieldError } from '../../../contract/field-error.ts';
import type { RuleContext } from '../../../contract/kind-rules.ts';
import { joined } from '../../../validation/joined.ts';
import { validateAnnotations, validateLabels } from '../../metadata/labels.ts';
import { validatePodAnnotations } from './pod-annotations.ts';

/** 1.32 reports labels and annotations right below the template. */
export function templateMetadata({ metadata, spec }: PodTemplateSpec, _old: unknown, context: RuleContext): readonly FieldError[] {
  const { labels, annotations } = metadata ?? {};
  return joined(
    validateLabels(labels, '.labels'),
    validateAnnotations(annotations, '.annotations'),
    validatePodAnnotations(annotations, spec, '.annotations', context),
  );
}
