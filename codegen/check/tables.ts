/** Every cell of a table comes from somewhere. */
import type { TableData } from '../../runtime/contract/kind.ts';
import type { GroupVersion, StructModel } from '../model/model.ts';
import type { CheckContext } from './check-context.ts';
import { typeAtPath } from './members.ts';
import { placeOf } from './places.ts';

export function checkTables(context: CheckContext): void {
  for (const groupVersion of context.model.groupVersions)
    for (const type of groupVersion.types)
      if (type.kind === 'struct' && type.table !== undefined) checkTable(groupVersion, type, type.table, context);
}

function checkTable(groupVersion: GroupVersion, kind: StructModel, { columns, cells }: TableData, { model, report }: CheckContext): void {
  const place = placeOf(groupVersion, kind);
  const at = { file: place.file, path: `${place.path}.x-cluster-table` };
  const names = columns.map(({ name }) => name);
  for (const twice of new Set(names.filter((name, index) => names.indexOf(name) !== index)))
    report('CS017', at, `There are two columns ${twice}.`);
  for (const { name, path } of columns) {
    if (path !== undefined && typeAtPath(model, kind, path) === undefined)
      report('CS045', at, `Column ${name}: ${kind.name} has no ${path}.`);
    if (path === undefined && cells === undefined) report('CS057', at, `Column ${name} has no path, and the table no cells.`);
  }
}
