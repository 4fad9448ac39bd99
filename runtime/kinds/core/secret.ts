import type { Secret } from '../../../generated/core/v1/types.ts';
import { keyPairProblem } from '../../certificates/key-pair.ts';
import { type FieldError, invalid, required } from '../../contract/field-error.ts';
import type { KindRules, RuleContext } from '../../contract/kind-rules.ts';
import { JsonSyntaxError, parseJson } from '../../schema/json/json-text.ts';
import { isRawNumber } from '../../schema/scalar/raw-number.ts';
import { NONE } from '../../validation/joined.ts';

type Data = Readonly<Record<string, string>>;

/** Bytes of all values of a secret, or of a config map, together. */
export const DATA_LIMIT = 1024 * 1024;

/** Of all values of a map together. */
export function bytesOf(data: Data | undefined, encoding: BufferEncoding): number {
  let bytes = 0;
  for (const key in data) bytes += Buffer.byteLength(data[key] as string, encoding);
  return bytes;
}

export function fits(data: Data): boolean {
  return bytesOf(data, 'base64') <= DATA_LIMIT;
}

/** `stringData` is a way to write: its values go over into `data`, and it is never stored. */
function defaults(secret: Secret): void {
  if (secret.stringData === undefined) return;
  const data = new Map<string, string>(Object.entries(secret.data ?? {}));
  for (const [key, value] of Object.entries(secret.stringData)) data.set(key, Buffer.from(value).toString('base64'));
  if (data.size > 0) secret.data = Object.fromEntries([...data].sort(([a], [b]) => (a < b ? -1 : 1)));
  delete secret.stringData;
}

/** Types with keys that all of their secrets have. */
export function keysOfType(secret: Secret, _old: unknown, context: RuleContext): readonly FieldError[] {
  const missing = missingPaths(secret, context);
  return missing.length > 0 ? missing.map((path) => required(path)) : jsonErrors(secret, context);
}

function missingPaths({ type, data = {}, metadata }: Secret, { text }: RuleContext): readonly string[] {
  const absent = (...keys: readonly string[]): string[] => keys.filter((key) => data[key] === undefined).map((key) => `.data[${key}]`);
  switch (type) {
    case text('${labelDomain}/service-account-token'): {
      const account = text('${labelDomain}/service-account.name');
      return metadata.annotations?.[account] ? NONE : [`.metadata.annotations[${account}]`];
    }
    case text('${labelDomain}/dockercfg'):
      return absent('.dockercfg');
    case text('${labelDomain}/dockerconfigjson'):
      return absent('.dockerconfigjson');
    case text('${labelDomain}/basic-auth'):
      return data.username === undefined && data.password === undefined ? absent('username', 'password') : NONE;
    case text('${labelDomain}/ssh-auth'):
      return data['ssh-privatekey'] ? NONE : ['.data[ssh-privatekey]'];
    case text('${labelDomain}/tls'):
      return absent('tls.crt', 'tls.key');
    default:
      return NONE;
  }
}

/** Of the types whose content is JSON; the key is named as the type is. */
function jsonErrors({ type, data = {} }: Secret, { text }: RuleContext): readonly FieldError[] {
  const key = ['.dockercfg', '.dockerconfigjson'].find((each) => type === text(`\${labelDomain}/${each.slice(1)}`));
  const problem = key === undefined ? undefined : jsonObjectProblem(Buffer.from(data[key] ?? '', 'base64').toString());
  return problem === undefined ? NONE : [invalid(`.data[${key}]`, '<secret contents redacted>', problem)];
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

/** A server that is given these would not start. */
function warnings({ type, data }: Secret, context: RuleContext): readonly string[] {
  if (type !== context.text('${labelDomain}/tls')) return NONE;
  const text = (key: string): string => Buffer.from(data?.[key] ?? '', 'base64').toString('latin1');
  const problem = keyPairProblem(text('tls.crt'), text('tls.key'));
  return problem === undefined ? NONE : [problem];
}

export const rules: KindRules<Secret> = {
  defaults,
  warnings: (object, _old, context) => warnings(object, context),
  changesFirst: true,
  selectableField: (object, path) => (path === 'type' ? (object.type ?? '') : undefined),
};
