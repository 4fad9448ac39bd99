/** Kinds of a generated group version that schemas state as definitions of custom resources state theirs. */
import type { GroupVersionModule, KindData, Lifecycle } from '../contract/kind.ts';
import { parseNativeJson } from '../schema/native-json.ts';
import { customKinds, type MetadataTypes } from './custom-kinds.ts';
import { type CustomDefinition, versionOf } from './definition.ts';

/** What a kind has as one of the schemas. */
export interface StructuralKindParts {
  /** 32 bits, of all that shapes its objects */
  readonly schemaHash: number;
  readonly lifecycle: Lifecycle;
  readonly listLifecycle: Lifecycle;
}

/**
 * @param text JSON: the definitions of all kinds of the version, each with that version alone
 * @param parts by the names of kinds
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
  // Without a warning of its own, what its lifecycle says is told.
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
