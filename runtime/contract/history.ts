/**
 * What generated code says of earlier releases: what they had that the current one lacks, and since when there is what it has. It is loaded by servers
 * that have the API of an earlier release (--emulated-release), and by nobody else.
 *
 * A release without `since` or `until` is the oldest or the newest one that can be emulated: what has neither is in all of them.
 */
import type { DefaultRule } from './default-rule.ts';
import type { Field } from './descriptor.ts';
import type { GroupVersionData, KindData, ResourceData, SubresourceData } from './kind.ts';
import type { Dated, Ended, Lifespan } from './lifespan.ts';

export interface ApiHistory {
  /** those that were not always as they are now, or are gone */
  readonly groupVersions: readonly GroupVersionHistory[];
  /** by the folder of a group version whose kinds were not always as they are now, or are gone */
  readonly kinds: Readonly<Record<string, () => Promise<KindHistoryModule>>>;
  /** by the prefix of their keys: what objects were stored as in earlier releases, oldest first, where that is another version than now */
  readonly storedBefore: Readonly<Record<string, readonly StoredBefore[]>>;
  /** by the folder of each group version: what names of its definitions begin with, such as `io.k8s.api.apps.v1`, and which releases knew any of these */
  readonly packages: Readonly<Record<string, Dated<{ readonly name: string }>>>;
  /** JSON text: published schemas of all of them (`SchemasHistory` in `runtime/openapi/earlier/`) */
  readonly loadSchemas: () => Promise<string>;
}

export interface StoredBefore extends Ended {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/** A group version of all releases; it takes the place of the one of the same folder that the current release has, if it has one. */
export interface GroupVersionHistory extends Lifespan, Omit<GroupVersionData, 'resources' | 'load' | 'loadOpenapi' | 'hidden'> {
  /** in earlier releases, oldest first */
  readonly before?: readonly (Ended & { readonly enabledByDefault?: boolean })[];
  readonly resources: readonly DatedResource[];
}

/** A resource that differs between releases stands there more than once, each with the releases that have it; its subresources likewise. */
export type DatedResource =
  | Dated<Omit<ResourceData, 'subresources'> & { readonly subresources: readonly Dated<SubresourceData>[] }>
  /** the one of this name that the current release has */
  | Dated<{ readonly asNow: string }>;

export interface KindHistoryModule {
  readonly history: KindHistory;
}

/** The heavy part: of the kinds of a group version. */
export interface KindHistory {
  /** of other group versions, to whose types these kinds lead */
  readonly uses: readonly KindHistory[];
  /** by definition name: structs of this group version whose members were not always the same */
  readonly structs: Readonly<Record<string, StructHistory>>;
  /** of fields whose values were not always the same: by definition name, field and value, the releases that have the value */
  readonly values?: Readonly<Record<string, DatedValues>>;
  /** kinds that the current release does not have */
  readonly kinds: Readonly<Record<string, KindData>>;
  /** of kinds whose columns were not always the same; columns, and what cells are made of, say which releases have them */
  readonly tables: Readonly<Record<string, DatedTable>>;
}

/** A table whose columns, at any depth, may have the members `since` and `until`. */
export interface DatedTable {
  readonly columns: readonly object[];
}

export type DatedValues = Readonly<Record<string, Readonly<Record<string, Lifespan>>>>;

export interface StructHistory {
  /** Those of all releases in their order; a field whose form changed stands there once for each. Called once. */
  readonly fields: () => readonly Dated<Field>[];
  readonly defaults?: readonly Dated<DefaultRule>[];
}
