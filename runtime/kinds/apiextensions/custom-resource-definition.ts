import type { CustomResourceDefinition, CustomResourceDefinitionStatus as Status } from '../../../generated/apiextensions/v1/types.ts';
import type { Identity } from '../../contract/identity.ts';
import type { KindRules } from '../../contract/kind-rules.ts';
import { setCondition } from './conditions.ts';

/** Definitions of custom resources, in their stored version v1. */
export function rules(identity: Identity): KindRules<CustomResourceDefinition> {
  const cleanup = identity.text('customresourcecleanup.apiextensions.${groupDomain}');
  return {
    defaults(object) {
      if ((object.status?.storedVersions ?? []).length === 0) recordStorageVersion(object);
    },
    prepareForCreate: (object) => recordStorageVersion(object),
    prepareForUpdate: (object) => recordStorageVersion(object),
    prepareForDeletion: (object) => beginDeletion(object, cleanup),
  };
}

/** Every version that objects were ever stored in is remembered until somebody has migrated them. */
function recordStorageVersion(object: CustomResourceDefinition): void {
  const storage = object.spec.versions?.find((version) => version.storage);
  if (storage === undefined) return;
  const stored = object.status?.storedVersions ?? [];
  if (!stored.includes(storage.name)) object.status = { ...(object.status as Status), storedVersions: [...stored, storage.name] };
}

/** The objects go first: a finalizer holds the definition until a controller has deleted them. */
function beginDeletion(object: CustomResourceDefinition, cleanup: string): void {
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
