import type { JSONSchemaProps, SelectableField } from '../../../generated/apiextensions/v1/types.ts';
import { duplicate, type FieldError, invalid, required, tooMany } from '../../contract/field-error.ts';
import type { CustomSchema } from '../../structural-schema/custom-schema.ts';
import { memberPath } from '../../structural-schema/member-paths.ts';
import { foundInEach, joined, NONE } from '../../validation/joined.ts';

const MOST = 8;
const SELECTABLE_TYPES = ['string', 'boolean', 'integer'];

const NO_SCHEMA = {
  spec: 'selectableFields may only be set when validations.schema is included',
  version: 'selectableFields may only be set when version.schema.openAPIV3Schema is not included',
};
const WRONG_TYPE = 'must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.';

/**
 * @param schema of the objects, where it stands beside the fields
 * @param of all versions, whose part the fields are in 1.32, or of one
 */
export function validateSelectableFields(
  fields: readonly SelectableField[],
  schema: JSONSchemaProps | undefined,
  path: string,
  of: keyof typeof NO_SCHEMA,
): readonly FieldError[] {
  if (fields.length === 0) return NONE;
  if (schema === undefined) return [invalid(path, '', NO_SCHEMA[of])];
  const known = new Set<string>();
  const found = foundInEach(fields, ({ jsonPath }, index) => {
    const at = `${path}[${index}].jsonPath`;
    if (jsonPath === '') return [required(at)];
    const member = memberPath(schema as CustomSchema, jsonPath, false);
    if ('problem' in member) return [invalid(at, jsonPath, `is an invalid path: ${member.problem}`)];
    const name = JSON.stringify(member.steps);
    const isKnown = known.has(name);
    known.add(name);
    return joined(
      member.steps[0] === 'metadata' ? [invalid(at, jsonPath, 'must not point to fields in metadata')] : NONE,
      SELECTABLE_TYPES.includes(member.schema?.type ?? '') ? NONE : [invalid(at, jsonPath, WRONG_TYPE)],
      isKnown ? [duplicate(at, jsonPath)] : NONE,
    );
  });
  return known.size > MOST ? [...found, tooMany(path, known.size, MOST)] : found;
}
