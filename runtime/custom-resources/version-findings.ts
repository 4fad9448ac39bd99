/** What is wrong with a version as definitions state it, wherever it is stated. */
import type { FieldError } from '../contract/field-error.ts';
import { validateDefinitionSchema } from '../kinds/apiextensions/definition-schema.ts';
import { validateSelectableFields } from '../kinds/apiextensions/selectable-fields.ts';
import { STRICT } from '../kinds/apiextensions/strictness.ts';
import { validateColumn, validateSubresources } from '../kinds/apiextensions/version-parts.ts';
import type { CustomVersion } from './definition.ts';

type DefinitionSchema = Parameters<typeof validateDefinitionSchema>[0];

/** Defaults of metadata of embedded objects are of no form here: a server tells when it takes the schema. */
const CONTEXT = { metadataProblem: () => undefined, explainsCosts: true };

/** As of a new definition. @returns findings with paths from the version on, such as `schema.openAPIV3Schema.type` */
export function versionFindings({
  schema,
  subresources,
  additionalPrinterColumns = [],
  selectableFields = [],
}: CustomVersion): FieldError[] {
  const root = schema?.openAPIV3Schema as DefinitionSchema | undefined;
  if (root === undefined) return [];
  const place = { path: 'schema.openAPIV3Schema', above: '', hasStatus: subresources?.status !== undefined, isUnchanged: false };
  return [
    ...validateDefinitionSchema(root, place, STRICT, CONTEXT),
    ...validateSubresources(subresources as Parameters<typeof validateSubresources>[0], 'subresources'),
    ...additionalPrinterColumns.flatMap((column, index) =>
      validateColumn(column as Parameters<typeof validateColumn>[0], `additionalPrinterColumns[${index}]`),
    ),
    ...validateSelectableFields([...selectableFields], root, 'selectableFields', 'version'),
  ];
}
