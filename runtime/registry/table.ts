/** Tables: rows rendered by the server from a kind's declared columns (specification: Table representation). */
import type { Now, TableColumn, TableData, TableRowCondition } from '../contract/kind.ts';
import type { ApiObject, ObjectMeta } from '../contract/object.ts';
import { age } from '../kinds/cells/age.ts';
import { selectorText } from '../selectors/label-selector.ts';
import type { Kind } from './kind.ts';

export type IncludeObject = 'None' | 'Metadata' | 'Object';

export interface Table {
  readonly kind: 'Table';
  readonly apiVersion: string;
  readonly metadata: { readonly resourceVersion?: string; readonly continue?: string; readonly remainingItemCount?: number };
  readonly columnDefinitions: readonly object[] | null;
  readonly rows: readonly TableRow[];
}

/** What a kind without columns of its own shows. */
const DEFAULT_TABLE: TableData = {
  columns: [
    { name: 'Name', type: 'string', format: 'name', description: 'Name of the object, unique in its namespace.' },
    { name: 'Created At', type: 'date', description: 'When the server created the object.', path: '.metadata.creationTimestamp' },
  ],
};

export function columnDefinitions(hub: Kind): object[] {
  return (hub.data.table ?? DEFAULT_TABLE).columns.map(({ name, type, format = '', description = '', priority = 0 }) => ({
    name,
    type,
    format,
    description,
    priority,
  }));
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
export function tableRow(hub: Kind, object: ApiObject, shown: ApiObject, include: IncludeObject, metaVersion: string, now: Now): TableRow {
  const cells =
    hub.data.table?.cells !== undefined && hub.rules.cells !== undefined ? hub.rules.cells(object, now) : declaredCells(hub, object, now);
  // A bookmark has no name.
  cells[0] ??= '';
  const conditions = hub.rules.rowConditions?.(object);
  const row = conditions === undefined ? { cells } : { cells, conditions };
  if (include === 'None') return { ...row, object: null };
  return { ...row, object: include === 'Object' ? shown : partialObjectMetadata(hub, object, metaVersion) };
}

function declaredCells(hub: Kind, object: ApiObject, now: Now): unknown[] {
  return (hub.data.table ?? DEFAULT_TABLE).columns.map((column) => cell(column, object, now));
}

function cell(column: TableColumn, object: ApiObject, now: Now): unknown {
  if (column.path === undefined) return object.metadata.name ?? '';
  const value = at(object, column.path);
  switch (column.render ?? 'value') {
    case 'age':
      return age(value as string | undefined, now);
    case 'count':
      return value === undefined || value === null ? 0 : Array.isArray(value) ? value.length : Object.keys(value as object).length;
    case 'join':
      return Array.isArray(value) ? value.join(',') : '';
    case 'labels':
      return labelsText(value as Record<string, string> | undefined);
    case 'selector':
      return selectorText(value as Parameters<typeof selectorText>[0]);
    default:
      if (value === undefined || value === null) return column.type === 'integer' || column.type === 'number' ? 0 : '';
      return value;
  }
}

function labelsText(labels: Record<string, string> | undefined): string {
  const pairs = Object.entries(labels ?? {}).map(([key, value]) => `${key}=${value}`);
  return pairs.length === 0 ? '<none>' : pairs.sort().join(',');
}

function at(object: ApiObject, path: string): unknown {
  let value: unknown = object;
  for (const key of path.split('.')) {
    if (key === '') continue;
    value = (value as Record<string, unknown> | null | undefined)?.[key];
  }
  return value;
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
