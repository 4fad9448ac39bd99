/** Checks tables: columns have different names, and what their cells name exists. */
import type { GroupVersion, StructModel } from '../model/model.ts';
import { checkForm } from './cells.ts';
import type { CheckContext } from './check-context.ts';
import { placeOf } from './places.ts';

export function checkTables(context: CheckContext): void {
  for (const groupVersion of context.model.groupVersions.filter(({ structural }) => structural === undefined))
    for (const type of groupVersion.types) if (type.kind === 'struct') checkTable(groupVersion, type, context);
}

function checkTable(groupVersion: GroupVersion, kind: StructModel, { model, report }: CheckContext): void {
  if (kind.table === undefined) return;
  const { columns } = kind.table;
  const place = placeOf(groupVersion, kind);
  const at = { file: place.file, path: `${place.path}.x-cluster-table` };
  if (kind.conversion !== undefined) report('CS073', at, `${kind.name} is stored as ${kind.conversion.version} has it.`);
  const names = columns.map(({ name }) => name);
  for (const twice of new Set(names.filter((name, index) => names.indexOf(name) !== index)))
    report('CS017', at, `There are two columns ${twice}.`);
  const base = { kind: 'named', definition: kind.definition } as const;
  for (const column of columns)
    checkForm(column, base, { model, at, report, name: `Column ${column.name}` }, column.function !== undefined);
}
