/** Edits of the two states that many variants are made of. */
import type { Json } from '../../../tree.ts';
import { type Edit, flagNamed, lifecycleOf, schemasOf, setProto, setTable, specOf } from '../../states.ts';

export const FIELD = 'toys/v1 ToySpec';
export const GROUP = 'toys.${groupDomain}';

export const flag =
  (name: string, change: object): Edit =>
  (f) =>
    setTable(f, 'flags', (table) => Object.assign(flagNamed(table, name), change));
export const withoutFlag =
  (name: string): Edit =>
  (f) =>
    setTable(f, 'flags', (table) => table.flags.splice(table.flags.indexOf(flagNamed(table, name)), 1));
export const metric =
  (name: string, change: object): Edit =>
  (f) =>
    setTable(f, 'metrics', (table) => Object.assign(table[name], change));
export const withoutMetric =
  (name: string): Edit =>
  (f) =>
    setTable(f, 'metrics', (table) => delete table[name]);
export const setLifecycle = (f: Parameters<Edit>[0], folder: string, lifecycle: object): void => {
  for (const name of ['Toy', 'ToyList']) Object.assign(lifecycleOf(f, folder, name), lifecycle);
};
export const replaceLifecycle = (f: Parameters<Edit>[0], folder: string, lifecycle: object): void => {
  for (const name of ['Toy', 'ToyList']) schemasOf(f, folder)[name]['x-cluster-lifecycle'] = lifecycle;
};
/** Dates of releases, for spans that are as long in months as in releases, or are not. */
export const dates =
  (of: Readonly<Record<string, string>>): Edit =>
  (f) =>
    Object.assign(f.releases.releases, of);
export const both =
  (...edits: readonly Edit[]): Edit =>
  (f) => {
    for (const edit of edits) edit(f);
  };
/** A field that both states have besides the others. */
export const withField =
  (declaration: string, schema: Json): Edit =>
  (f) => {
    specOf(f).more = schema;
    setProto(f, 'optional string plain = 12;', `optional string plain = 12; ${declaration}`);
  };
export const columnsOf = (f: Parameters<Edit>[0]) => schemasOf(f).Toy['x-cluster-table'].columns;
export const configOf = (f: Parameters<Edit>[0]) => f.openapi['config/v1'].components.schemas.Config;
