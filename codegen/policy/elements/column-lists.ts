/** Compares two states of a table's columns. */
import type { TableColumn } from '../../../runtime/contract/table.ts';

type TellColumn = (column: string, was: string, is: string) => void;

export function compareColumnLists(before: readonly TableColumn[], after: readonly TableColumn[], tell: TellColumn): void {
  const names = new Set(after.map(({ name }) => name));
  for (const column of before) {
    const same = after.find(({ name }) => name === column.name);
    if (same === undefined) tell(column.name, 'a column of the table', 'not there');
    else for (const [what, was, is] of differences(column, same)) tell(column.name, `${what} ${was}`, `${what} ${is}`);
  }
  const isShown = ({ priority = 0 }: TableColumn): boolean => priority === 0;
  comparePositions(
    before.filter((column) => isShown(column) && names.has(column.name)),
    after.filter(isShown),
    tell,
  );
}

function differences(before: TableColumn, after: TableColumn): [what: string, was: string, is: string][] {
  const found: [string, string, string][] = [];
  if (before.type !== after.type) found.push(['type', before.type, after.type]);
  if ((before.format ?? '') !== (after.format ?? '')) found.push(['format', before.format ?? 'none', after.format ?? 'none']);
  if ((before.priority ?? 0) < (after.priority ?? 0)) found.push(['shown', 'always', 'in wide output alone']);
  return found;
}

/** A column that is always shown must keep its position from the left, so new ones may only come behind those that were there. */
function comparePositions(before: readonly TableColumn[], after: readonly TableColumn[], tell: TellColumn): void {
  const known = new Set(before.map(({ name }) => name));
  const kept = after.filter(({ name }) => known.has(name));
  for (const [index, { name }] of kept.entries())
    if (before[index]?.name !== name) {
      tell(name, `in the order ${before.map((each) => each.name).join(', ')}`, `in the order ${kept.map((each) => each.name).join(', ')}`);
      break;
    }
  const last = after.findLastIndex(({ name }) => known.has(name));
  for (const [index, { name }] of after.entries())
    if (index < last && !known.has(name)) tell(name, 'not there', `a column before ${after[index + 1]?.name}, which moves`);
}
