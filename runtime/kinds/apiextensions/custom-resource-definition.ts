import type {
  CustomResourceDefinition,
  JSONSchemaProps,
  CustomResourceDefinitionStatus as Status,
  ValidationRule,
} from '../../../generated/apiextensions/v1/types.ts';
import type { Identity } from '../../contract/identity.ts';
import type { KindRules, RuleContext } from '../../contract/kind-rules.ts';
import { someSchema } from '../../structural-schema/schema-walk.ts';
import { setCondition } from './conditions.ts';

/** Definitions of custom resources, in their stored version v1. */
export function rules(identity: Identity): KindRules<CustomResourceDefinition> {
  const cleanup = identity.text('customresourcecleanup.apiextensions.${groupDomain}');
  return {
    defaults(object) {
      if ((object.status?.storedVersions ?? []).length === 0) recordStorageVersion(object);
    },
    prepareForCreate(object, context) {
      forgetOptionalValues(object, undefined, context);
      recordStorageVersion(object);
    },
    prepareForUpdate(object, old, context) {
      forgetOptionalValues(object, old, context);
      recordStorageVersion(object);
    },
    prepareForDeletion: (object) => beginDeletion(object, cleanup),
  };
}

/** Behind a gate that is off, rules have no optional former values, at no depth, unless some had them before. */
function forgetOptionalValues(object: CustomResourceDefinition, old: CustomResourceDefinition | undefined, context: RuleContext): void {
  if (context.featureEnabled('CRDValidationRatcheting') || anyRule(old, ({ optionalOldSelf }) => optionalOldSelf !== undefined)) return;
  anyRule(object, (rule) => !Reflect.deleteProperty(rule, 'optionalOldSelf'));
}

function anyRule(definition: CustomResourceDefinition | undefined, holds: (rule: ValidationRule) => boolean): boolean {
  const holdsWithin = (schema: JSONSchemaProps): boolean => (schema['x-kubernetes-validations'] ?? []).some(holds);
  return (definition?.spec.versions ?? []).some(({ schema }) => schema?.openAPIV3Schema && someSchema(schema.openAPIV3Schema, holdsWithin));
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
