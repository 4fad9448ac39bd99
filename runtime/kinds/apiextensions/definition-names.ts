import type { CustomResourceDefinition, CustomResourceDefinitionNames } from '../../../generated/apiextensions/v1/types.ts';
import { type FieldError, invalid } from '../../contract/field-error.ts';
import { NONE } from '../../validation/joined.ts';

export function nameOfDefinition({ metadata, spec }: CustomResourceDefinition): readonly FieldError[] {
  if (metadata?.name === `${spec.names.plural}.${spec.group}`) return NONE;
  return [invalid('.metadata.name', metadata?.name, 'must be spec.names.plural+"."+spec.group')];
}

export function differentKinds({ kind, listKind = '' }: CustomResourceDefinitionNames): readonly FieldError[] {
  return kind === '' || kind !== listKind ? NONE : [invalid('.listKind', listKind, 'kind and listKind may not be the same')];
}
