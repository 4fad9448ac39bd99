import type { JSONSchemaProps, SelectableField } from '../../../generated/apiextensions/v1/types.ts';
import { duplicate, type FieldError, invalid, required, tooMany } from '../../contract/field-error.ts';
import { foundInEach, joined, NONE } from '../joined.ts';

const MOST = 8;
const SELECTABLE_TYPES = ['string', 'boolean', 'integer'];

/** @param schema of the version's objects */
export function validateSelectableFields(
  fields: readonly SelectableField[],
  schema: JSONSchemaProps | undefined,
  path: string,
): readonly FieldError[] {
  const paths = fields.map(({ jsonPath }) => jsonPath);
  const found = foundInEach(paths, (jsonPath, index) => {
    const at = `${path}[${index}].jsonPath`;
    if (jsonPath === '') return [required(at)];
    const problem = problemOf(jsonPath, schema);
    return joined(
      problem === undefined ? NONE : [invalid(at, jsonPath, problem)],
      paths.indexOf(jsonPath) < index ? [duplicate(at, jsonPath)] : NONE,
    );
  });
  return fields.length > MOST ? [...found, tooMany(path, fields.length, MOST)] : found;
}

function problemOf(jsonPath: string, schema: JSONSchemaProps | undefined): string | undefined {
  if (!/^[.[]/.test(jsonPath)) {
    const token = /^[^.[\]]+/.exec(jsonPath)?.[0] ?? jsonPath;
    return `is an invalid path: expected [ or . but got: ${token}`;
  }
  if (/\[\d*\]/.test(jsonPath)) return 'is an invalid path: array notation is not allowed';
  const member = memberAt(schema, stepsOf(jsonPath));
  if (member === undefined || jsonPath.startsWith('.metadata')) return 'is an invalid path: does not refer to a valid field';
  if (SELECTABLE_TYPES.includes(member.type ?? '')) return undefined;
  return 'must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.';
}

function stepsOf(jsonPath: string): string[] {
  return [...jsonPath.matchAll(/\.([^.[\]]+)|\['([^']*)'\]/g)].map((match) => (match[1] ?? match[2]) as string);
}

function memberAt(schema: JSONSchemaProps | undefined, steps: readonly string[]): JSONSchemaProps | undefined {
  return steps.reduce<JSONSchemaProps | undefined>((at, step) => at?.properties?.[step], schema);
}
