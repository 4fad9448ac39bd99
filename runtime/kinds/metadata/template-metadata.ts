/** Metadata that a template gives to the objects made of it: labels and annotations, nothing else. */
import { type FieldError, forbidden } from '../../contract/field-error.ts';
import type { ObjectMeta } from '../../contract/object.ts';
import { validateAnnotations, validateLabels } from './labels.ts';

/** Members that a template may not set, in the order of the fields of the type; `uid` is spelled in paths as 1.32 does. */
const REFUSED: readonly (keyof ObjectMeta)[] = [
  'name',
  'generateName',
  'namespace',
  'selfLink',
  'uid',
  'resourceVersion',
  'generation',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
  'ownerReferences',
  'finalizers',
  'managedFields',
];

export function validateTemplateMetadata(metadata: Partial<ObjectMeta>, path: string): FieldError[] {
  return [
    ...validateAnnotations(metadata.annotations, `${path}.annotations`),
    ...validateLabels(metadata.labels, `${path}.labels`),
    ...REFUSED.filter((member) => (metadata[member] ?? undefined) !== undefined).map((member) =>
      forbidden(`${path}.${member === 'uid' ? 'uID' : member}`, 'cannot be set'),
    ),
  ];
}
