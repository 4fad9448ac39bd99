/**
 * The specification of a definition. 1.32 checks an internal form in which what all versions have in common stands once, above them:
 * errors in a schema that all versions share are reported at `spec.validation`, and so for subresources, columns and selectable fields.
 */
import type { CustomResourceDefinitionSpec, CustomResourceDefinitionVersion } from '../../../generated/apiextensions/v1/types.ts';
import { type FieldError, invalid, required } from '../../contract/field-error.ts';
import type { RuleContext } from '../../contract/kind.ts';
import { dns1035Label } from '../../formats/names.ts';
import { invalidShown } from '../../go-text/values.ts';
import { eachItem } from '../findings.ts';
import { joined, NONE } from '../joined.ts';
import type { DefinitionFacts, Parts } from './definition-facts.ts';
import { validateDefinitionSchema } from './definition-schema.ts';
import { validateSelectableFields } from './selectable-fields.ts';
import type { Strictness } from './strictness.ts';
import { validateColumn, validateSubresources } from './version-parts.ts';

type SpecRule = (spec: CustomResourceDefinitionSpec, old: unknown, context: RuleContext, facts: DefinitionFacts) => readonly FieldError[];

export const missingSchemas: SpecRule = ({ versions }, _old, _context, { strictness }) =>
  eachItem(strictness.needsSchema ? versions : undefined, '.versions', ({ schema }, at) =>
    schema?.openAPIV3Schema === undefined ? [required(`${at}.schema.openAPIV3Schema`, 'schemas are required')] : NONE,
  );

const NO_VERSIONS = '[]apiextensions.CustomResourceDefinitionVersion(nil)';
const ONE_STORED = 'must have exactly one version marked as storage version';

/** The internal form has the name of the first version once more, above all versions. */
export function versionsTogether({ versions }: CustomResourceDefinitionSpec): readonly FieldError[] {
  const list = versions ?? [];
  const [first] = list;
  if (first === undefined) return [invalidShown('.versions', NO_VERSIONS, ONE_STORED)];
  const isUnique = new Set(list.map(({ name }) => name)).size === list.length;
  const hasOneStored = list.filter(({ storage }) => storage).length === 1;
  const name = first.name === '' ? NONE : dns1035Label(first.name);
  return joined(
    isUnique ? NONE : [invalid('.versions', list, 'must contain unique version names')],
    hasOneStored ? NONE : [invalid('.versions', list, ONE_STORED)],
    name.length === 0 ? NONE : [invalid('.version', first.name, name.join(','))],
  );
}

/** The internal form has these parts of the first version once more, above all versions. */
export const sharedParts: SpecRule = ({ versions }, _old, _context, { strictness, shared }) => {
  const first = versions?.[0];
  return first === undefined ? NONE : validateParts(first, 'validation', strictness, shared);
};

export function ownParts(
  version: CustomResourceDefinitionVersion,
  _old: unknown,
  _context: RuleContext,
  { strictness, shared }: DefinitionFacts,
): readonly FieldError[] {
  const { schema, subresources, columns, selectable } = shared;
  const own = { schema: !schema, subresources: !subresources, columns: !columns, selectable: !selectable };
  return validateParts(version, 'schema', strictness, own);
}

/** @param schemaName the member above the schema. @param which the parts to check */
function validateParts(
  version: CustomResourceDefinitionVersion,
  schemaName: string,
  strictness: Strictness,
  which: Parts,
): readonly FieldError[] {
  const schema = version.schema?.openAPIV3Schema;
  const hasStatus = version.subresources?.status !== undefined;
  const isChecked = which.schema && schema !== undefined;
  return joined(
    isChecked ? validateDefinitionSchema(schema, `.${schemaName}.openAPIV3Schema`, hasStatus, strictness) : NONE,
    which.subresources ? validateSubresources(version.subresources, '.subresources') : NONE,
    which.columns ? eachItem(version.additionalPrinterColumns, '.additionalPrinterColumns', validateColumn) : NONE,
    which.selectable ? validateSelectableFields(version.selectableFields ?? [], schema, '.selectableFields') : NONE,
  );
}
