/** Makes the two kinds of a custom resource in one version, its own and that of its lists, when one of them is first used. */
import { list, type StructType, string, struct } from '../contract/descriptor.ts';
import type { GroupVersionModule, KindData } from '../contract/kind.ts';
import type { TableColumn } from '../contract/table.ts';
import { deprecationOf } from '../contract/version-deprecation.ts';
import { structuralType } from '../schema/codec/codec.ts';
import { parseColumnPath } from '../schema/json/json-path-template.ts';
import { AGE, NAME } from './custom-columns.ts';
import { type CustomDefinition, type CustomVersion, versionOf } from './definition.ts';
import { customValidators } from './validators.ts';

/** The types of metadata that all kinds use, made from structs of Go. */
export interface MetadataTypes {
  readonly objectMeta: StructType;
  readonly listMeta: StructType;
}

const LIFECYCLE = { introduced: '1.0' };

/**
 * @param schemaHash a number that changes with everything that shapes the objects
 * @param isMuchWork whether the definition is so long that going through it takes long
 * @throws Error for a version that the definition lacks
 */
export function customKinds(
  definition: CustomDefinition,
  version: string,
  schemaHash: number,
  metadata: MetadataTypes,
  isMuchWork = false,
): GroupVersionModule {
  const { group, names } = definition.spec;
  const found = versionOf(definition, version);
  const { kind, listKind = `${kind}List` } = names;
  const type = structuralType(
    `${group}.${version}.${kind}`,
    found.schema?.openAPIV3Schema,
    metadata.objectMeta,
    definition.spec.preserveUnknownFields,
  );
  // many columns are read only when somebody asks for them
  const columns = isLongTable(found) ? undefined : columnsOf(found);
  const deprecation = deprecationOf(found, definition.spec);
  const own: KindData = {
    type,
    schemaHash,
    lifecycle: LIFECYCLE,
    list: listKind,
    validators: customValidators(found.schema?.openAPIV3Schema ?? {}, found.subresources?.scale, isMuchWork),
    get table() {
      return { columns: columns ?? columnsOf(found) };
    },
    hasLongTable: columns === undefined,
    ...(deprecation !== undefined && { deprecation }),
  };
  return { kinds: { [kind]: own, [listKind]: { type: listType(`${type.name}List`, type, metadata), schemaHash, lifecycle: LIFECYCLE } } };
}

function listType(name: string, type: StructType, { listMeta }: MetadataTypes): StructType {
  return struct(name, () => [
    { name: 'kind', type: string },
    { name: 'apiVersion', type: string },
    { name: 'metadata', type: listMeta },
    { name: 'items', type: list(type), go: { always: true } },
  ]);
}

/** The cost above which a table is long. A column with a short path costs 1. */
const LONG_TABLE = 1_000;
/** The number of characters of a path that cost as much as a column. */
const COLUMN_PATH = 32;
/** Matches paths that may go through a whole object. */
const SEARCHES = /\.\.|\*|\?|,|:/;
/** The additional cost of such a path. */
const SEARCH = 50;

function isLongTable({ additionalPrinterColumns: columns = [] }: CustomVersion): boolean {
  let cost = columns.length;
  if (cost > LONG_TABLE) return true;
  for (const { jsonPath } of columns) cost += jsonPath.length / COLUMN_PATH + (SEARCHES.test(jsonPath) ? SEARCH : 0);
  return cost > LONG_TABLE;
}

/** @returns the name and the columns of the version up to the first whose path 1.32 cannot read: 1.32 leaves out that one and all after it */
function columnsOf({ additionalPrinterColumns: columns = [] }: CustomVersion): TableColumn[] {
  if (columns.length === 0) return [NAME, AGE];
  const unreadable = columns.findIndex(({ jsonPath }) => parseColumnPath(jsonPath) === undefined);
  return [
    NAME,
    ...columns.slice(0, unreadable < 0 ? undefined : unreadable).map(
      ({ name, type, format, description, priority, jsonPath }): TableColumn => ({
        name,
        asWritten: true,
        type: type as TableColumn['type'],
        ...(format !== undefined && { format }),
        description: description || `Custom resource definition column (in JSONPath format): ${jsonPath}`,
        ...(priority !== undefined && { priority }),
        jsonPath,
      }),
    ),
  ];
}
