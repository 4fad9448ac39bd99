import { duplicate, type FieldError, invalid, notSupported, required, tooLong } from '../../contract/field-error.ts';
import type { KindRules } from '../../contract/kind.ts';
import type { ApiObject } from '../../contract/object.ts';
import { int64Of } from '../../schema/raw-number.ts';
import { eachItem, needed } from '../core/findings.ts';
import { unchanged } from '../immutable.ts';
import { validateLabelName } from '../metadata/labels.ts';
import { isLongerThan, patternMessage } from '../metadata/names.ts';
import { keepMetadata } from '../metadata/status-update.ts';
import type { Struct } from '../struct.ts';

const STATUSES = ['False', 'True', 'Unknown'];
const MAX_REASON_BYTES = 1024;
const MAX_MESSAGE_BYTES = 32 * 1024;

const REASON = '[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?';
const reasonPattern = new RegExp(`^${REASON}$`);
const REASON_MESSAGE = patternMessage(
  "a condition reason must start with alphabetic character, optionally followed by a string of alphanumeric characters or '_,:', and must end with an alphanumeric character or '_'",
  REASON,
  'my_name',
  'MY_NAME',
  'MyName',
  'ReasonA,ReasonB',
  'ReasonA:ReasonB',
);

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
    ...validateConditions(conditions, 'status.conditions'),
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

function validateConditions(conditions: readonly Struct[] | undefined, path: string): FieldError[] {
  const types = new Set<string>();
  return eachItem(conditions, path, (condition, at) => {
    const { type = '', status = '', lastUpdateTime, message = '' } = condition;
    const errors = [
      ...(types.has(type) ? [duplicate(`${at}.type`, type)] : []),
      ...validateLabelName(type, `${at}.type`),
      ...(STATUSES.includes(status) ? [] : [notSupported(`${at}.status`, status, STATUSES)]),
      // 1.32 looks at one time and names the other.
      ...needed(lastUpdateTime, `${at}.lastTransitionTime`),
      ...validateReason(condition.reason ?? '', `${at}.reason`),
      ...(isLongerThan(message, MAX_MESSAGE_BYTES) ? [tooLong(`${at}.message`, MAX_MESSAGE_BYTES)] : []),
    ];
    types.add(type);
    return errors;
  });
}

function validateReason(reason: string, path: string): FieldError[] {
  if (reason === '') return [required(path)];
  return [
    ...(reasonPattern.test(reason) ? [] : [invalid(path, reason, REASON_MESSAGE)]),
    ...(isLongerThan(reason, MAX_REASON_BYTES) ? [tooLong(path, MAX_REASON_BYTES)] : []),
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
  cells: ({ metadata, spec }) => [metadata.name, spec?.resource?.resource ?? ''],
};
