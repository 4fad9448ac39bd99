import { type FieldError, invalid, required } from '../../contract/field-error.ts';
import type { KindRules } from '../../contract/kind.ts';
import type { ApiObject } from '../../contract/object.ts';
import { int64Of } from '../../schema/raw-number.ts';
import { needed } from '../core/findings.ts';
import { unchanged } from '../immutable.ts';
import { eachType, validateMessage, validateReason, validateTypeAndStatus } from '../metadata/conditions.ts';
import { keepMetadata } from '../metadata/status-update.ts';
import type { Struct } from '../struct.ts';

function validate({ spec }: ApiObject): FieldError[] {
  return ['resource', 'version'].flatMap((member) => needed(spec?.resource?.[member], `spec.resource.${member}`, `${member} is required`));
}

/** 1.32 names the members without the path to them. */
function validateUpdate({ spec }: ApiObject, old: ApiObject): FieldError[] {
  return ['group', 'version', 'resource'].flatMap((member) =>
    unchanged(spec.resource[member] ?? '', old.spec.resource[member] ?? '', member),
  );
}

function validateStatusUpdate(object: ApiObject, old: ApiObject): FieldError[] {
  const { resourceVersion = '', conditions } = object.status ?? {};
  const before = old.status?.resourceVersion ?? '';
  const path = 'status.resourceVersion';
  return [
    ...validateVersion(resourceVersion, path),
    ...eachType(conditions, 'status.conditions', validateCondition),
    ...(before !== '' && before !== resourceVersion ? [invalid(path, resourceVersion, 'cannot be updated')] : []),
    ...conflicts(object, old).map((detail) => invalid('status.conditions', conditions ?? null, detail)),
  ];
}

function validateVersion(text: string, path: string): FieldError[] {
  if (text === '') return [];
  const quoted = JSON.stringify(text);
  const cause = /^[+-]?\d+$/.test(text) ? 'value out of range' : 'invalid syntax';
  const value = cause === 'invalid syntax' ? undefined : int64Of(text.replace(/^\+/, ''));
  if (value === undefined)
    return [invalid(path, text, `failed to parse resource version ${quoted}: strconv.ParseInt: parsing ${quoted}: ${cause}`)];
  return value < 0n ? [invalid(path, Number(value), 'must be greater than or equal to 0')] : [];
}

function validateCondition(condition: Struct, path: string): FieldError[] {
  const { lastUpdateTime, reason = '', message = '' } = condition;
  return [
    ...validateTypeAndStatus(condition, path),
    // 1.32 looks at one time and names the other.
    ...needed(lastUpdateTime, `${path}.lastTransitionTime`),
    ...(reason === '' ? [required(`${path}.reason`)] : validateReason(reason, `${path}.reason`)),
    ...validateMessage(message, `${path}.message`),
  ];
}

/** The first condition of a type counts. */
function holds({ status }: ApiObject, type: string): boolean {
  return ((status?.conditions ?? []) as Struct[]).find((condition) => condition.type === type)?.status === 'True';
}

/** A migration runs, then succeeds or fails, for good. */
function conflicts(object: ApiObject, old: ApiObject): string[] {
  const [running, succeeded, failed] = ['Running', 'Succeeded', 'Failed'].map((type) => holds(object, type));
  return [
    ...(succeeded && failed ? ['Both success and failed conditions cannot be true at the same time'] : []),
    ...(succeeded && running ? ['Running condition cannot be true when success condition is true'] : []),
    ...(failed && running ? ['Running condition cannot be true when failed condition is true'] : []),
    ...(holds(old, 'Succeeded') && !succeeded ? ['Success condition cannot be set to false once it is true'] : []),
    ...(holds(old, 'Failed') && !failed ? ['Failed condition cannot be set to false once it is true'] : []),
  ];
}

export const rules: KindRules = {
  prepareForStatusUpdate: keepMetadata,
  validate,
  validateUpdate,
  validateStatusUpdate,
};
