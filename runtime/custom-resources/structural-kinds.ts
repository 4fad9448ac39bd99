/** Makes the kinds of a generated group version whose schemas are written in the form of custom resource definitions. */
import type { GroupVersionModule, KindData, Lifecycle } from '../contract/kind.ts';
import { parseNativeJson } from '../schema/json/native-json.ts';
import { customKinds, type MetadataTypes } from './custom-kinds.ts';
import { type CustomDefinition, versionOf } from './definition.ts';

/** What the generator adds to a kind, which a definition does not have. */
export interface StructuralKindParts {
  /** a number of 32 bits that changes with everything that shapes the objects */
  readonly schemaHash: number;
  readonly lifecycle: Lifecycle;
  readonly listLifecycle: Lifecycle;
}

/**
 * @param text a JSON list of the definitions of all kinds of the version, each with only that version
 * @param parts what the generator adds, by the names of kinds
 * @returns the kinds and those of their lists, by name
 */
export function structuralKinds(
  text: string,
  version: string,
  parts: Readonly<Record<string, StructuralKindParts>>,
  metadata: MetadataTypes,
): GroupVersionModule['kinds'] {
  const definitions = parseNativeJson<readonly CustomDefinition[]>(text);
  return Object.fromEntries(definitions.flatMap((definition) => kindsOf(definition, version, parts, metadata)));
}

function kindsOf(
  definition: CustomDefinition,
  version: string,
  parts: Readonly<Record<string, StructuralKindParts>>,
  metadata: MetadataTypes,
): [string, KindData][] {
  const { kind } = definition.spec.names;
  const { schemaHash, lifecycle, listLifecycle } = parts[kind] as StructuralKindParts;
  const { kinds } = customKinds(definition, version, schemaHash, metadata);
  // without a warning of the definition, clients get the one that follows from the lifecycle
  const isWarned = versionOf(definition, version).deprecationWarning !== undefined;
  return Object.entries(kinds).map(([name, { deprecation, ...data }]) => [
    name,
    {
      ...data,
      lifecycle: name === kind ? lifecycle : listLifecycle,
      ...(isWarned && deprecation !== undefined && { deprecation }),
    },
  ]);
}
