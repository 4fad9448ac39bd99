/**
 * The specification of a definition. 1.32 checks an internal form in which what all versions have in common stands once, above them:
 * errors in a schema that all versions share are reported at `spec.validation`, and so for subresources, columns and selectable fields.
 */
import type { CustomResourceDefinitionSpec, CustomResourceDefinitionVersion } from '../../../generated/apiextensions/v1/types.ts';
import { type FieldError, invalid, required } from '../../contract/field-error.ts';
import { dns1035Label } from '../../formats/names.ts';
import { invalidShown } from '../../go-text/values.ts';
import { deepEqual } from '../../schema/equal.ts';
import { eachItem } from '../core/findings.ts';
import { joined, NONE } from '../joined.ts';
import { validateConversion } from './definition-conversion.ts';
import { validateDefinitionSchema } from './definition-schema.ts';
import { validateSelectableFields } from './selectable-fields.ts';
import { type Strictness, strictnessAfter } from './strictness.ts';
import { validateColumn, validateDeprecation, validateSubresources } from './version-parts.ts';

interface Shared {
  readonly schema: boolean;
  readonly subresources: boolean;
  readonly columns: boolean;
  readonly selectable: boolean;
}

type Rule = (spec: CustomResourceDefinitionSpec, old: CustomResourceDefinitionSpec | undefined) => readonly FieldError[];

export const versions: Rule = ({ versions }, old) => {
  const strictness = strictnessAfter(old);
  const list = versions ?? [];
  const own = invertShared(partsInCommon(list));
  return joined(
    strictness.needsSchema ? missingSchemas(list, '.versions') : NONE,
    eachItem(list, '.versions', (version, at) =>
      joined(
        validateVersionName(version.name, `${at}.name`),
        validateDeprecation(version, at),
        validateParts(version, at, 'schema', strictness, own),
      ),
    ),
    validateVersionList(list, '.versions'),
    list[0]?.name ? validateVersionName(list[0].name, '.version') : NONE,
  );
};

/** The internal form has these parts of the first version once more, above all versions. */
export const sharedParts: Rule = ({ versions }, old) => {
  const first = versions?.[0];
  return first === undefined ? NONE : validateParts(first, '', 'validation', strictnessAfter(old), partsInCommon(versions ?? []));
};

export const statedConversion: Rule = ({ conversion: stated }, old) =>
  validateConversion(stated, strictnessAfter(old).knownReviewVersion, '.conversion');

function validateVersionName(name: string, path: string): readonly FieldError[] {
  const problems = dns1035Label(name);
  return problems.length === 0 ? NONE : [invalid(path, name, problems.join(','))];
}

function partsInCommon(versions: readonly CustomResourceDefinitionVersion[]): Shared {
  const alike = (name: keyof CustomResourceDefinitionVersion) => versions.every((version) => deepEqual(version[name], versions[0]?.[name]));
  return {
    schema: alike('schema'),
    subresources: alike('subresources'),
    columns: alike('additionalPrinterColumns'),
    selectable: alike('selectableFields'),
  };
}

function invertShared({ schema, subresources, columns, selectable }: Shared): Shared {
  return { schema: !schema, subresources: !subresources, columns: !columns, selectable: !selectable };
}

/** @param which the parts to check at this path */
function validateParts(
  version: CustomResourceDefinitionVersion,
  path: string,
  schemaName: string,
  strictness: Strictness,
  which: Shared,
): readonly FieldError[] {
  const schema = version.schema?.openAPIV3Schema;
  const hasStatus = version.subresources?.status !== undefined;
  return [
    ...(which.schema && schema !== undefined
      ? validateDefinitionSchema(schema, `${path}.${schemaName}.openAPIV3Schema`, hasStatus, strictness)
      : []),
    ...(which.subresources ? validateSubresources(version.subresources, `${path}.subresources`) : []),
    ...(which.columns ? eachItem(version.additionalPrinterColumns, `${path}.additionalPrinterColumns`, validateColumn) : []),
    ...(which.selectable ? validateSelectableFields(version.selectableFields ?? [], schema, `${path}.selectableFields`) : []),
  ];
}

function missingSchemas(versions: readonly CustomResourceDefinitionVersion[], path: string): readonly FieldError[] {
  return eachItem(versions, path, ({ schema }, at) =>
    schema?.openAPIV3Schema === undefined ? [required(`${at}.schema.openAPIV3Schema`, 'schemas are required')] : [],
  );
}

const NO_VERSIONS = '[]apiextensions.CustomResourceDefinitionVersion(nil)';
const ONE_STORED = 'must have exactly one version marked as storage version';

function validateVersionList(versions: readonly CustomResourceDefinitionVersion[], path: string): readonly FieldError[] {
  const errors: FieldError[] = [];
  if (new Set(versions.map(({ name }) => name)).size < versions.length)
    errors.push(invalid(path, versions, 'must contain unique version names'));
  if (versions.length === 0) errors.push(invalidShown(path, NO_VERSIONS, ONE_STORED));
  else if (versions.filter(({ storage }) => storage).length !== 1) errors.push(invalid(path, versions, ONE_STORED));
  return errors;
}
