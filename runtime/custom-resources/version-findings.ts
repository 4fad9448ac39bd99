/** Checks a version in the form that definitions have, also where the generator reads it from other places than a definition. */
import type { FieldError } from '../contract/field-error.ts';
import { validateDefinitionSchema } from '../kinds/apiextensions/definition-schema.ts';
import { validateSelectableFields } from '../kinds/apiextensions/selectable-fields.ts';
import { STRICT } from '../kinds/apiextensions/strictness.ts';
import { validateColumn, validateSubresources } from '../kinds/apiextensions/version-parts.ts';
import type { CustomVersion } from './definition.ts';

type DefinitionSchema = Parameters<typeof validateDefinitionSchema>[0];

/** Defaults for the metadata of embedded objects are not checked here, because only a server can do so, when it gets the schema. */
const CONTEXT = { metadataProblem: () => undefined, explainsCosts: true };

/** Checks the version by the rules for new definitions. @returns errors whose paths begin in the version, such as `schema.openAPIV3Schema.type` */
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
