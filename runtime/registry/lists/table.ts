/** Renders tables, whose rows are made from the columns that a kind declares (specification: Table representation). */
import type { ApiObject, ObjectMeta } from '../../contract/object.ts';
import type { Now, TableRowCondition } from '../../contract/table.ts';
import type { KindTable } from '../cells/kind-table.ts';
import type { Kind } from '../kinds/kind.ts';

export type IncludeObject = 'None' | 'Metadata' | 'Object';

export interface Table {
  readonly kind: 'Table';
  readonly apiVersion: string;
  readonly metadata: { readonly resourceVersion?: string; readonly continue?: string; readonly remainingItemCount?: number };
  readonly columnDefinitions: readonly object[] | null;
  readonly rows: readonly TableRow[];
}

export interface TableRow {
  readonly cells: unknown[];
  readonly conditions?: readonly TableRowCondition[];
  readonly object: ApiObject | null;
}

/**
 * @param object of the hub
 * @param shown what goes into the row beside its cells, in the version that the client asked for
 */
export function tableRow(
  hub: Kind,
  object: ApiObject,
  shown: ApiObject,
  include: IncludeObject,
  metaVersion: string,
  now: Now,
  table: KindTable = hub.table,
): TableRow {
  const cells = table.cells(object, now);
  const conditions = hub.rules.rowConditions?.(object);
  const row = conditions === undefined ? { cells } : { cells, conditions };
  if (include === 'None') return { ...row, object: null };
  return { ...row, object: include === 'Object' ? shown : partialObjectMetadata(hub, object, metaVersion) };
}

/**
 * @param object of the hub
 * @param metaVersion apiVersion of the metadata kinds, `meta.<group domain>/v1`
 */
export function partialObjectMetadata(hub: Kind, { metadata }: ApiObject, metaVersion: string): ApiObject {
  return { kind: 'PartialObjectMetadata', apiVersion: metaVersion, metadata: shownMetadata(hub, metadata) };
}

/** Metadata as all versions have them, without what stands for fields of older ones. @returns `metadata` itself where nothing is left out */
export function shownMetadata({ rules: { fieldAnnotations = [] } }: Kind, metadata: ObjectMeta): ObjectMeta {
  const { annotations } = metadata;
  if (annotations === undefined || !fieldAnnotations.some((key) => Object.hasOwn(annotations, key))) return metadata;
  const kept = Object.entries(annotations).filter(([key]) => !fieldAnnotations.includes(key));
  const { annotations: _all, ...others } = metadata;
  return kept.length === 0 ? others : { ...metadata, annotations: Object.fromEntries(kept) };
}
