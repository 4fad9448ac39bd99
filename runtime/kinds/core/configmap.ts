import { type FieldError, invalid, tooLong } from '../../contract/field-error.ts';
import type { KindRules } from '../../contract/kind.ts';
import type { ApiObject } from '../../contract/object.ts';
import { configMapKey } from '../../formats/keys.ts';
import { eachEntry, invalidAs } from './findings.ts';
import { DATA_LIMIT, validateUnchangedData } from './secret.ts';

function validate({ data, binaryData }: ApiObject): FieldError[] {
  const texts: Record<string, string> = data ?? {};
  const bytes: Record<string, string> = binaryData ?? {};
  const size =
    Object.values(texts).reduce((sum, value) => sum + Buffer.byteLength(value), 0) +
    Object.values(bytes).reduce((sum, value) => sum + Buffer.byteLength(value, 'base64'), 0);
  return [
    ...eachEntry(texts, 'data', (key, _value, at) => [
      ...invalidAs(configMapKey(key), at, key),
      ...(!Object.hasOwn(bytes, key) ? [] : [invalid(at, key, 'duplicate of key present in binaryData')]),
    ]),
    ...eachEntry(bytes, 'binaryData', (key, _value, at) => invalidAs(configMapKey(key), at, key)),
    // 1.32 means the object as a whole, and writes its path so.
    ...(size > DATA_LIMIT ? [tooLong('[]', DATA_LIMIT)] : []),
  ];
}

export const rules: KindRules = {
  validate,
  validateUpdate: (object, old) => (old.immutable === true ? validateUnchangedData(object, old, ['data', 'binaryData']) : []),
  changesFirst: true,
};
