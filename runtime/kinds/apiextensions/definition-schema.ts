/** The schema of a version: what of OpenAPI v3 a definition may use, and that it is structural. */
import type { JSONSchemaProps } from '../../../generated/apiextensions/v1/types.ts';
import { type FieldError, forbidden, invalid } from '../../contract/field-error.ts';
import type { RuleContext } from '../../contract/kind-rules.ts';
import { invalidShown } from '../../go-text/values.ts';
import { depthFindings } from '../../structural-schema/schema-depth.ts';
import { joined, NONE } from '../../validation/joined.ts';
import { validateDefaults } from './definition-defaults.ts';
import { validateKeywords } from './schema-keywords.ts';
import type { SchemaPlace } from './schema-place.ts';
import type { Strictness } from './strictness.ts';
import { validateStructural } from './structural.ts';
import { unsupportedKeyword } from './unsupported.ts';

/** Beside these, nothing may stand at the root of a schema whose status is a subresource: its own schema is cut out of the whole. */
const AT_ROOT = new Set(
  [
    'description type format title maximum exclusiveMaximum minimum exclusiveMinimum maxLength minLength pattern maxItems minItems',
    'uniqueItems multipleOf required items properties externalDocs example x-kubernetes-preserve-unknown-fields x-kubernetes-validations',
  ].flatMap((names) => names.split(' ')),
);
const COUNTS_WHEN_EMPTY = new Set(['$ref', 'x-kubernetes-list-type', 'x-kubernetes-map-type']);
const ONLY_AT_ROOT =
  'only [Description Type Format Title Maximum ExclusiveMaximum Minimum ExclusiveMinimum MaxLength MinLength Pattern MaxItems MinItems UniqueItems MultipleOf Required Items Properties ExternalDocs Example XPreserveUnknownFields XValidations] fields are allowed at the root of the schema if the status subresource is enabled';
const ONLY_OBJECT = 'only "object" is allowed as the type at the root of the schema if the status subresource is enabled';

type SchemaContext = Pick<RuleContext, 'metadataProblem' | 'explainsCosts' | 'distribution'>;

export function validateDefinitionSchema(
  schema: JSONSchemaProps,
  place: SchemaPlace,
  strictness: Strictness,
  context: SchemaContext,
): readonly FieldError[] {
  const { path, hasStatus } = place;
  const tooDeep = depthFindings(schema, path);
  if (tooDeep.length > 0) return tooDeep;
  const isChecked = strictness.structural;
  const unsupported = isChecked ? unsupportedKeyword(schema) : undefined;
  const structure = isChecked && unsupported === undefined ? validateStructural(schema, path, place.above) : NONE;
  const isStructural = isChecked && unsupported === undefined && structure.length === 0;
  // Defaults of a schema that is not structural have no meaning.
  const shape = isStructural ? validateDefaults(schema, path, strictness, context) : structure;
  const errors = joined(
    hasStatus ? validateRoot(schema, path) : NONE,
    schema.nullable === true ? [forbidden(`${path}.nullable`, 'nullable cannot be true at the root')] : NONE,
    shape,
    validateKeywords(schema, place, strictness, { areRulesChecked: isStructural && shape.length === 0, context }),
  );
  return errors.length === 0 && unsupported !== undefined ? [invalid(path, '', unsupported)] : errors;
}

/** One finding at most. 1.32 looks at the type after the words for references. */
function validateRoot(schema: JSONSchemaProps, path: string): FieldError[] {
  const { type, id, $schema, $ref } = schema;
  if (type && type !== 'object' && !id && !$schema && $ref === undefined) return [invalid(`${path}.type`, type, ONLY_OBJECT)];
  const isAlien = ([keyword, value]: [string, unknown]): boolean =>
    !AT_ROOT.has(keyword) && value !== false && (value !== '' || COUNTS_WHEN_EMPTY.has(keyword));
  return Object.entries(schema).some(isAlien) ? [invalidShown(path, JSON.stringify(schema), ONLY_AT_ROOT)] : [];
}
