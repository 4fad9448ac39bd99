import { type FieldError, invalid } from '../../contract/field-error.ts';
import type { Identity } from '../../contract/identity.ts';
import type { KindRules } from '../../contract/kind.ts';
import type { ApiObject } from '../../contract/object.ts';
import { unchanged } from '../immutable.ts';
import type { Struct } from '../struct.ts';
import { validateApproval } from './approval.ts';
import { isConditionTrue, setCondition } from './conditions.ts';
import { validateStoredVersions } from './definition-status.ts';

/** Definitions of custom resources, in their stored version v1. */
export function rules(identity: Identity): KindRules {
  const cleanup = identity.text('customresourcecleanup.apiextensions.${groupDomain}');
  return {
    defaults(object) {
      if ((object.status?.storedVersions ?? []).length === 0) recordStorageVersion(object);
    },
    prepareForCreate: (object) => recordStorageVersion(object),
    prepareForUpdate: (object) => recordStorageVersion(object),
    validateCreate: (object) => [
      ...validateObject(object),
      ...validateApproval(object, undefined, identity),
      ...validatePreservation(object, undefined),
    ],
    validateUpdate: (object, old) => [
      ...validateImmutable(object, old),
      ...validateObject(object),
      ...validateApproval(object, old, identity),
      ...validatePreservation(object, old),
    ],
    prepareForDeletion: (object) => beginDeletion(object, cleanup),
  };
}

/** Every version that objects were ever stored in is remembered until somebody has migrated them. */
function recordStorageVersion(object: ApiObject): void {
  const storage = (object.spec.versions ?? []).find((version: Struct) => version.storage === true);
  if (storage === undefined) return;
  const stored: readonly string[] = object.status?.storedVersions ?? [];
  if (!stored.includes(storage.name)) object.status = { ...object.status, storedVersions: [...stored, storage.name] };
}

function validateObject({ spec, status }: ApiObject): FieldError[] {
  return validateStoredVersions(status?.storedVersions ?? [], spec.versions ?? [], 'status.storedVersions');
}

/** What the storage depends on cannot change once objects may exist; what the name is made of never can. */
function validateImmutable({ spec }: ApiObject, old: ApiObject): FieldError[] {
  const established = isConditionTrue(old.status, 'Established');
  return [
    ...(established ? unchanged(spec.scope, old.spec.scope, 'spec.scope') : []),
    ...(established ? unchanged(spec.names.kind, old.spec.names.kind, 'spec.names.kind') : []),
    ...unchanged(spec.group, old.spec.group, 'spec.group'),
    ...unchanged(spec.names.plural, old.spec.names.plural, 'spec.names.plural'),
  ];
}

/** A definition that keeps unknown fields as a whole may stay, but none may begin to. */
function validatePreservation({ spec }: ApiObject, old: ApiObject | undefined): FieldError[] {
  if (spec.preserveUnknownFields !== true || old?.spec.preserveUnknownFields === true) return [];
  return [
    invalid(
      'spec.preserveUnknownFields',
      true,
      'cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead',
    ),
  ];
}

/** The objects go first: a finalizer holds the definition until a controller has deleted them. */
function beginDeletion(object: ApiObject, cleanup: string): void {
  const { metadata } = object;
  if (!metadata.finalizers?.includes(cleanup)) metadata.finalizers = [...(metadata.finalizers ?? []), cleanup];
  setCondition(object, {
    type: 'Terminating',
    status: 'True',
    lastTransitionTime: metadata.deletionTimestamp ?? null,
    reason: 'InstanceDeletionPending',
    message: 'CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon',
  });
}
