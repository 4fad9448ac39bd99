/**
 * The specification of a definition. 1.32 checks an internal form in which what all versions have in common stands once, above them:
 * errors in a schema that all versions share are reported at `spec.validation`, and so for subresources, columns and selectable fields.
 */
import type {
  CustomResourceDefinition,
  CustomResourceDefinitionSpec,
  CustomResourceDefinitionVersion,
} from '../../../generated/apiextensions/v1/types.ts';
import { type FieldError, invalid, required } from '../../contract/field-error.ts';
import type { Predicate } from '../../contract/kind.ts';
import type { RuleContext } from '../../contract/kind-rules.ts';
import { dns1035Label } from '../../formats/names.ts';
import { invalidShown } from '../../go-text/values.ts';
import { joined, NONE } from '../../validation/joined.ts';
import { eachItem } from '../findings.ts';
import { type DefinitionFacts, hasDefaults, type Parts } from './definition-facts.ts';
import { validateDefinitionSchema } from './definition-schema.ts';
import type { SchemaPlace } from './schema-place.ts';
import { validateSelectableFields } from './selectable-fields.ts';
import type { Strictness } from './strictness.ts';
import { validateColumn, validateSubresources } from './version-parts.ts';
import { versionsNotation } from './versions-notation.ts';
import { isOfV1beta1 } from './written-version.ts';

type SpecRule = (spec: CustomResourceDefinitionSpec, old: unknown, context: RuleContext, facts: DefinitionFacts) => readonly FieldError[];

export const missingSchemas: SpecRule = ({ versions, preserveUnknownFields }, _old, _context, { strictness }) => {
  const missing = eachItem(versions, '.versions', ({ schema, served }, at) => {
    if (schema?.openAPIV3Schema !== undefined) return NONE;
    const path = `${at}.schema.openAPIV3Schema`;
    if (strictness.needsSchema) return [required(path, 'schemas are required')];
    return served && preserveUnknownFields !== true ? [required(path, 'because otherwise all fields are pruned')] : NONE;
  });
  if (preserveUnknownFields !== true || !hasDefaults(versions ?? [])) return missing;
  return [...missing, invalid('.preserveUnknownFields', true, 'must be false in order to use defaults in the schema')];
};

const ONE_STORED = 'must have exactly one version marked as storage version';

/** The internal form has the name of the first version once more, above all versions. */
export const versionsTogether: SpecRule = ({ versions }, _old, _context, { shared }) => {
  const list = versions ?? [];
  const [first] = list;
  if (first === undefined) return [invalidShown('.versions', versionsNotation(list, shared), ONE_STORED)];
  const isUnique = new Set(list.map(({ name }) => name)).size === list.length;
  const hasOneStored = list.filter(({ storage }) => storage).length === 1;
  const name = first.name === '' ? NONE : dns1035Label(first.name);
  const shown = isUnique && hasOneStored ? '' : versionsNotation(list, shared);
  return joined(
    isUnique ? NONE : [invalidShown('.versions', shown, 'must contain unique version names')],
    hasOneStored ? NONE : [invalidShown('.versions', shown, ONE_STORED)],
    name.length === 0 ? NONE : [invalid('.version', first.name, name.join(','))],
  );
};

/** Definitions of v1beta1 might keep fields that no schema has. */
export const dropsUnknownFields: Predicate<boolean, CustomResourceDefinition> = (keeps, _old, { request }) =>
  !keeps || isOfV1beta1(request);

/** Whoever converts objects must know what they have. */
export function convertsKnownFields({ conversion, preserveUnknownFields }: CustomResourceDefinitionSpec): readonly FieldError[] {
  const { strategy = 'None' } = conversion ?? {};
  if (strategy === 'None' || preserveUnknownFields !== true) return NONE;
  return [invalid('.conversion.strategy', strategy, 'must be None if spec.preserveUnknownFields is true')];
}

/** The internal form has these parts of the first version once more, above all versions. */
export const sharedParts: SpecRule = ({ versions = [] }, _old, context, { strictness, shared, hasStatus, unchanged }) => {
  const [first] = versions ?? [];
  const isUnchanged = (versions ?? []).every(({ name }) => unchanged.has(name));
  return first === undefined
    ? NONE
    : validateParts(first, 'validation', { strictness, hasStatus, context, which: shared, above: 'spec', isUnchanged });
};

export function ownParts(
  version: CustomResourceDefinitionVersion,
  _old: unknown,
  context: RuleContext,
  { strictness, shared, unchanged, placeOf }: DefinitionFacts,
): readonly FieldError[] {
  const { schema, subresources, columns, selectable } = shared;
  const which = { schema: !schema, subresources: !subresources, columns: !columns, selectable: !selectable };
  const hasStatus = version.subresources?.status !== undefined;
  const isUnchanged = unchanged.has(version.name);
  return validateParts(version, 'schema', { strictness, hasStatus, context, which, above: placeOf(version), isUnchanged });
}

interface PartsCheck extends Omit<SchemaPlace, 'path'> {
  readonly strictness: Strictness;
  readonly context: RuleContext;
  /** the parts to check */
  readonly which: Parts;
}

/** @param schemaName the member above the schema */
function validateParts(
  version: CustomResourceDefinitionVersion,
  schemaName: string,
  { strictness, hasStatus, context, which, above, isUnchanged }: PartsCheck,
): readonly FieldError[] {
  // Fields that stand elsewhere than the schema have none.
  const schema = which.schema ? version.schema?.openAPIV3Schema : undefined;
  const of = schemaName === 'schema' ? 'version' : 'spec';
  return joined(
    schema !== undefined
      ? validateDefinitionSchema(schema, { path: `.${schemaName}.openAPIV3Schema`, above, hasStatus, isUnchanged }, strictness, context)
      : NONE,
    which.subresources ? validateSubresources(version.subresources, '.subresources') : NONE,
    which.columns ? eachItem(version.additionalPrinterColumns, '.additionalPrinterColumns', validateColumn) : NONE,
    which.selectable ? validateSelectableFields(version.selectableFields ?? [], schema, '.selectableFields', of) : NONE,
  );
}
