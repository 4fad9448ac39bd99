/** Compares the columns that a definition states for a version. */
import type { TableColumn } from '../../../runtime/contract/table.ts';
import { isObject } from '../../read/sources.ts';
import { compareColumnLists } from '../elements/column-lists.ts';
import type { DefinitionVersion } from './definition.ts';

export function comparePrinterColumns(
  before: DefinitionVersion,
  after: DefinitionVersion,
  tell: (column: string, was: string, is: string) => void,
): void {
  compareColumnLists(columnsOf(before), columnsOf(after), tell);
}

function columnsOf({ stated: { additionalPrinterColumns: columns } }: DefinitionVersion): TableColumn[] {
  return (Array.isArray(columns) ? columns : []).filter(isObject).map(({ name, type, format, priority }) => ({
    name: String(name),
    type: String(type) as TableColumn['type'],
    ...(format !== undefined && { format: String(format) }),
    priority: Number(priority ?? 0),
  }));
}
