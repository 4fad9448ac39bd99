import { keyPairProblem } from '../../certificates/key-pair.ts';
import { type FieldError, forbidden, invalid, required, tooLong } from '../../contract/field-error.ts';
import type { KindRules, RuleContext } from '../../contract/kind.ts';
import type { ApiObject } from '../../contract/object.ts';
import { configMapKey } from '../../formats/keys.ts';
import { deepEqual } from '../../schema/equal.ts';
import { JsonSyntaxError, parseJson } from '../../schema/json-text.ts';
import { isRawNumber } from '../../schema/raw-number.ts';
import { unchanged } from '../immutable.ts';
import { eachEntry, invalidAs } from './findings.ts';

/** Bytes of all values of a secret, or of a config map, together. */
export const DATA_LIMIT = 1024 * 1024;
export const IMMUTABLE = 'field is immutable when `immutable` is set';

/** `stringData` is a way to write: its values go over into `data`, and it is never stored. */
function defaults(object: ApiObject): void {
  if (object.stringData === undefined) return;
  const data = new Map<string, string>(Object.entries(object.data ?? {}));
  for (const [key, value] of Object.entries(object.stringData as Record<string, string>))
    data.set(key, Buffer.from(value).toString('base64'));
  if (data.size > 0) object.data = Object.fromEntries([...data].sort(([a], [b]) => (a < b ? -1 : 1)));
  delete object.stringData;
}

function validate({ metadata, data, type = '' }: ApiObject, context: RuleContext): FieldError[] {
  const values: Record<string, string> = data ?? {};
  const size = Object.values(values).reduce((sum, value) => sum + Buffer.byteLength(value, 'base64'), 0);
  return [
    ...eachEntry(values, 'data', (key, _value, at) => invalidAs(configMapKey(key), at, key)),
    ...(size > DATA_LIMIT ? [tooLong('data', DATA_LIMIT)] : []),
    ...validateOfType(type, values, metadata.annotations, context),
  ];
}

/** Types with keys that all of their secrets have. */
function validateOfType(
  type: string,
  data: Readonly<Record<string, string>>,
  annotations: Readonly<Record<string, string>> | undefined,
  context: RuleContext,
): FieldError[] {
  const missing = (...keys: readonly string[]): FieldError[] =>
    keys.filter((key) => data[key] === undefined).map((key) => required(`data[${key}]`));
  switch (type) {
    case context.text('${labelDomain}/service-account-token'): {
      const account = context.text('${labelDomain}/service-account.name');
      return annotations?.[account] ? [] : [required(`metadata.annotations[${account}]`)];
    }
    case context.text('${labelDomain}/dockercfg'):
      return validateJson(data, '.dockercfg');
    case context.text('${labelDomain}/dockerconfigjson'):
      return validateJson(data, '.dockerconfigjson');
    case context.text('${labelDomain}/basic-auth'):
      return data.username === undefined ? (data.password === undefined ? missing('username', 'password') : []) : [];
    case context.text('${labelDomain}/ssh-auth'):
      return data['ssh-privatekey'] ? [] : [required('data[ssh-privatekey]')];
    case context.text('${labelDomain}/tls'):
      return missing('tls.crt', 'tls.key');
    default:
      return [];
  }
}

function validateJson(data: Readonly<Record<string, string>>, key: string): FieldError[] {
  const text = data[key];
  if (text === undefined) return [required(`data[${key}]`)];
  const problem = jsonObjectProblem(Buffer.from(text, 'base64').toString());
  return problem === undefined ? [] : [invalid(`data[${key}]`, '<secret contents redacted>', problem)];
}

/** What a JSON text that must be an object is instead, as 1.32 words it. */
function jsonObjectProblem(text: string): string | undefined {
  try {
    const { value } = parseJson(text);
    const type = Array.isArray(value) ? 'array' : JSON_TYPES[isRawNumber(value) ? 'number' : typeof value];
    return type === undefined ? undefined : `json: cannot unmarshal ${type} into Go value of type map[string]interface {}`;
  } catch (error) {
    if (error instanceof JsonSyntaxError) return error.message;
    throw error;
  }
}

/** Names of the types that cannot be read as an object; null can. */
const JSON_TYPES: Readonly<Record<string, string>> = { string: 'string', number: 'number', boolean: 'bool' };

function validateUpdate(object: ApiObject, old: ApiObject): FieldError[] {
  const errors = unchanged(object.type ?? '', old.type ?? '', 'type');
  return old.immutable === true ? [...errors, ...validateUnchangedData(object, old, ['data'])] : errors;
}

/** Of a secret or a config map that was made immutable, which it stays. @param members what holds its data */
export function validateUnchangedData(object: ApiObject, old: ApiObject, members: readonly string[]): FieldError[] {
  return [
    ...(object.immutable === true ? [] : [forbidden('immutable', IMMUTABLE)]),
    ...members.filter((member) => !deepEqual(object[member], old[member])).map((member) => forbidden(member, IMMUTABLE)),
  ];
}

/** A server that is given these would not start. */
function warnings({ type, data }: ApiObject, context: RuleContext): readonly string[] {
  if (type !== context.text('${labelDomain}/tls')) return NONE;
  const text = (key: string): string => Buffer.from(data?.[key] ?? '', 'base64').toString('latin1');
  const problem = keyPairProblem(text('tls.crt'), text('tls.key'));
  return problem === undefined ? NONE : [problem];
}

const NONE: readonly string[] = [];

export const rules: KindRules = {
  defaults,
  validate,
  validateUpdate,
  warnings: (object, _old, context) => warnings(object, context),
  changesFirst: true,
  selectableField: (object, path) => (path === 'type' ? (object.type ?? '') : undefined),
};
