/** The schema of a version: what of OpenAPI v3 a definition may use, and that it is structural. */
import type { JSONSchemaProps } from '../../../generated/apiextensions/v1/types.ts';
import { type FieldError, forbidden, invalid } from '../../contract/field-error.ts';
import type { RuleContext } from '../../contract/kind.ts';
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
const AT_ROOT_SHOWN =
  '[Description Type Format Title Maximum ExclusiveMaximum Minimum ExclusiveMinimum MaxLength MinLength Pattern MaxItems MinItems UniqueItems MultipleOf Required Items Properties ExternalDocs Example XPreserveUnknownFields XValidations]';

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
  const structure = isChecked && unsupported === undefined ? validateStructural(schema, path) : NONE;
  const isStructural = isChecked && unsupported === undefined && structure.length === 0;
  const treatment = { areRulesChecked: isStructural || !isChecked, context };
  const errors = joined(
    hasStatus ? validateRoot(schema, path) : NONE,
    schema.nullable === true ? [forbidden(`${path}.nullable`, 'nullable cannot be true at the root')] : NONE,
    // Defaults of a schema that is not structural have no meaning.
    isStructural ? validateDefaults(schema, path, strictness, context) : structure,
    validateKeywords(schema, place, strictness, treatment),
  );
  return errors.length === 0 && unsupported !== undefined ? [invalid(path, '', unsupported)] : errors;
}

function validateRoot(schema: JSONSchemaProps, path: string): FieldError[] {
  for (const [keyword, value] of Object.entries(schema)) {
    if (keyword === 'type' && value !== 'object')
      return [
        invalid(
          `${path}.type`,
          value,
          'only "object" is allowed as the type at the root of the schema if the status subresource is enabled',
        ),
      ];
    if (!AT_ROOT.has(keyword) && value !== false && value !== '')
      return [
        invalidShown(
          path,
          JSON.stringify(schema),
          `only ${AT_ROOT_SHOWN} fields are allowed at the root of the schema if the status subresource is enabled`,
        ),
      ];
  }
  return [];
}
