/**
 * What generated code states about earlier releases: what they had that the current one lacks, and since which release it has what it has. Only servers with
 * the API of an earlier release (--emulated-release) load it.
 *
 * Something without `since` is in the oldest release that can be emulated, and something without `until` in the newest.
 */
import type { DefaultRule } from './default-rule.ts';
import type { Field } from './descriptor.ts';
import type { GroupVersionData, KindData, ResourceData, SubresourceData } from './kind.ts';
import type { Dated, Ended, Lifespan } from './lifespan.ts';

export interface ApiHistory {
  /** the group versions that have changed since the oldest release, or that are gone */
  readonly groupVersions: readonly GroupVersionHistory[];
  /** loads the history of kinds, by the folders of the group versions whose kinds have changed or are gone */
  readonly kinds: Readonly<Record<string, () => Promise<KindHistoryModule>>>;
  /** the versions in which earlier releases stored objects, if they were others than now, by the prefix of the objects' keys; oldest first */
  readonly storedBefore: Readonly<Record<string, readonly StoredBefore[]>>;
  /**
   * the beginning of the names of a group version's definitions, such as `io.k8s.api.apps.v1`, and the releases that have any of them, by the folder of the
   * group version
   */
  readonly packages: Readonly<Record<string, Dated<{ readonly name: string }>>>;
  /** Loads the published schemas of all of them as JSON text (`SchemasHistory` in `runtime/openapi/earlier/`). */
  readonly loadSchemas: () => Promise<string>;
}

export interface StoredBefore extends Ended {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/** A group version in all releases. It replaces the one with the same folder in the current release, if there is one. */
export interface GroupVersionHistory extends Lifespan, Omit<GroupVersionData, 'resources' | 'load' | 'loadOpenapi' | 'hidden'> {
  /** how it differed in earlier releases, oldest first */
  readonly before?: readonly (Ended & Partial<Pick<GroupVersionData, 'enabledByDefault' | 'groupPriority'>>)[];
  readonly resources: readonly DatedResource[];
}

/** A resource with the releases that have it. One that differs between releases is listed several times. The same holds for its subresources. */
export type DatedResource =
  | Dated<Omit<ResourceData, 'subresources'> & { readonly subresources: readonly Dated<SubresourceData>[] }>
  /** the resource of this name in the current release */
  | Dated<{ readonly asNow: string }>;

export interface KindHistoryModule {
  readonly history: KindHistory;
}

/** The history of the kinds of one group version, which is loaded only when it is needed. */
export interface KindHistory {
  /** the histories of other group versions whose types these kinds use */
  readonly uses: readonly KindHistory[];
  /** the structs of this group version whose members have changed, by definition name */
  readonly structs: Readonly<Record<string, StructHistory>>;
  /** the releases that have a value, by definition name, field and value; only of fields whose values have changed */
  readonly values?: Readonly<Record<string, DatedValues>>;
  /** kinds that the current release does not have */
  readonly kinds: Readonly<Record<string, KindData>>;
  /** the tables of kinds whose columns have changed, by kind; columns and parts of cells state the releases that have them */
  readonly tables: Readonly<Record<string, DatedTable>>;
}

/** A table whose columns, at any depth, may have the members `since` and `until`. */
export interface DatedTable {
  readonly columns: readonly object[];
}

export type DatedValues = Readonly<Record<string, Readonly<Record<string, Lifespan>>>>;

export interface StructHistory {
  /** Returns the fields of all releases in their order. A field whose form has changed is listed once for each form. It is called once. */
  readonly fields: () => readonly Dated<Field>[];
  readonly defaults?: readonly Dated<DefaultRule>[];
}
