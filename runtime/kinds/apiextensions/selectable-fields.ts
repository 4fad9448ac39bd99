import { duplicate, type FieldError, invalid, required, tooMany } from '../../contract/field-error.ts';
import type { Struct } from '../struct.ts';

const MOST = 8;
const SELECTABLE_TYPES = ['string', 'boolean', 'integer'];
const INVALID_PATH = 'is an invalid path: ';

/** @param schema of the version's objects */
export function validateSelectableFields(fields: readonly Struct[], schema: Struct | undefined, path: string): FieldError[] {
  if (fields.length === 0) return [];
  const seen = new Set<string>();
  const errors = fields.flatMap(({ jsonPath = '' }, index) => {
    const at = `${path}[${index}].jsonPath`;
    if (jsonPath === '') return [required(at)];
    const found = [...validateField(jsonPath, schema, at), ...(seen.has(jsonPath) ? [duplicate(at, jsonPath)] : [])];
    seen.add(jsonPath);
    return found;
  });
  if (fields.length > MOST) errors.push(tooMany(path, fields.length, MOST));
  return errors;
}

function validateField(jsonPath: string, schema: Struct | undefined, path: string): FieldError[] {
  if (!/^[.[]/.test(jsonPath)) {
    const token = /^[^.[\]]+/.exec(jsonPath)?.[0] ?? jsonPath;
    return [invalid(path, jsonPath, `${INVALID_PATH}expected [ or . but got: ${token}`)];
  }
  if (/\[\d*\]/.test(jsonPath)) return [invalid(path, jsonPath, `${INVALID_PATH}array notation is not allowed`)];
  const member = memberAt(schema, stepsOf(jsonPath));
  if (member === undefined || jsonPath.startsWith('.metadata'))
    return [invalid(path, jsonPath, `${INVALID_PATH}does not refer to a valid field`)];
  if (SELECTABLE_TYPES.includes(member.type)) return [];
  const wanted = 'must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.';
  return [invalid(path, jsonPath, wanted)];
}

function stepsOf(jsonPath: string): string[] {
  return [...jsonPath.matchAll(/\.([^.[\]]+)|\['([^']*)'\]/g)].map((match) => (match[1] ?? match[2]) as string);
}

function memberAt(schema: Struct | undefined, steps: readonly string[]): Struct | undefined {
  return steps.reduce<Struct | undefined>((at, step) => at?.properties?.[step], schema);
}
