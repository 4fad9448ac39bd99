/**
 * The specification of a definition. 1.32 checks an internal form in which what all versions have in common stands once, above them:
 * errors in a schema that all versions share are reported at `spec.validation`, and so for subresources, columns and selectable fields.
 */
import { type FieldError, invalid, required } from '../../contract/field-error.ts';
import { dnsSubdomain } from '../../formats/names.ts';
import { invalidShown } from '../../go-text/values.ts';
import { deepEqual } from '../../schema/equal.ts';
import { eachItem } from '../core/findings.ts';
import type { Struct } from '../struct.ts';
import { validateConversion } from './definition-conversion.ts';
import { validateLabel, validateNames, validateNeededNames, validateScope } from './definition-names.ts';
import { validateDefinitionSchema } from './definition-schema.ts';
import { validateSelectableFields } from './selectable-fields.ts';
import type { Strictness } from './strictness.ts';
import { validateColumn, validateDeprecation, validateSubresources } from './version-parts.ts';

interface Shared {
  readonly schema: boolean;
  readonly subresources: boolean;
  readonly columns: boolean;
  readonly selectable: boolean;
}

export function validateSpec(spec: Struct, path: string, strictness: Strictness): readonly FieldError[] {
  const versions: Struct[] = spec.versions ?? [];
  const shared = sharedParts(versions);
  const first = versions[0];
  return [
    ...validateGroup(spec.group, `${path}.group`),
    ...validateScope(spec.scope, `${path}.scope`),
    ...(strictness.needsSchema ? missingSchemas(versions, `${path}.versions`) : []),
    ...eachItem(versions, `${path}.versions`, (version, at) => [
      ...validateLabel(version.name ?? '', `${at}.name`),
      ...validateDeprecation(version, at),
      ...validateParts(version, at, 'schema', strictness, invertShared(shared)),
    ]),
    ...validateVersionList(versions, `${path}.versions`),
    ...(first?.name ? validateLabel(first.name, `${path}.version`) : []),
    ...validateNeededNames(spec.names, `${path}.names`),
    ...validateNames(spec.names, `${path}.names`),
    ...(first === undefined ? [] : validateParts(first, path, 'validation', strictness, shared)),
    ...validateConversion(spec.conversion, strictness.knownReviewVersion, `${path}.conversion`),
  ];
}

function validateGroup(group: string | undefined, path: string): readonly FieldError[] {
  if (!group) return [required(path)];
  const problems = dnsSubdomain(group);
  if (problems.length > 0) return [invalid(path, group, problems.join(','))];
  return group.includes('.') ? [] : [invalid(path, group, 'should be a domain with at least one dot')];
}

function sharedParts(versions: readonly Struct[]): Shared {
  const alike = (name: string) => versions.every((version) => deepEqual(version[name], versions[0]?.[name]));
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
function validateParts(version: Struct, path: string, schemaName: string, strictness: Strictness, which: Shared): readonly FieldError[] {
  const schema = version.schema?.openAPIV3Schema;
  const hasStatus = version.subresources?.status !== undefined;
  return [
    ...(which.schema && schema !== undefined
      ? validateDefinitionSchema(schema, `${path}.${schemaName}.openAPIV3Schema`, hasStatus, strictness)
      : []),
    ...(which.subresources ? validateSubresources(version.subresources, `${path}.subresources`) : []),
    ...(which.columns ? eachItem<Struct>(version.additionalPrinterColumns, `${path}.additionalPrinterColumns`, validateColumn) : []),
    ...(which.selectable ? validateSelectableFields(version.selectableFields ?? [], schema, `${path}.selectableFields`) : []),
  ];
}

function missingSchemas(versions: readonly Struct[], path: string): readonly FieldError[] {
  return eachItem(versions, path, ({ schema }, at) =>
    schema?.openAPIV3Schema === undefined ? [required(`${at}.schema.openAPIV3Schema`, 'schemas are required')] : [],
  );
}

const NO_VERSIONS = '[]apiextensions.CustomResourceDefinitionVersion(nil)';
const ONE_STORED = 'must have exactly one version marked as storage version';

function validateVersionList(versions: readonly Struct[], path: string): readonly FieldError[] {
  const errors: FieldError[] = [];
  if (new Set(versions.map(({ name }) => name)).size < versions.length)
    errors.push(invalid(path, versions, 'must contain unique version names'));
  if (versions.length === 0) errors.push(invalidShown(path, NO_VERSIONS, ONE_STORED));
  else if (versions.filter(({ storage }) => storage).length !== 1) errors.push(invalid(path, versions, ONE_STORED));
  return errors;
}
