/** Columns of tables, which scripts read by their position and people by their names. */
import type { TableColumn } from '../../../runtime/contract/table.ts';
import { placeOf } from '../../check/places.ts';
import type { Model, ResourceModel, StructModel } from '../../model/model.ts';
import type { KindOfVersion } from './kinds.ts';
import { groupVersionIn, type Step, stabilityIn } from './step.ts';

/** A table stands at the kind that is stored: it goes with the storage to another version, and shows what it showed. */
export function compareTables(step: Step): void {
  for (const groupVersion of step.before.groupVersions) {
    const later = groupVersionIn(step.after, groupVersion.folder);
    for (const resource of groupVersion.resources) {
      const same = later?.resources.find(({ name }) => name === resource.name);
      const [before, after] = [storedKind(step.before, resource), storedKind(step.after, same)];
      if (before !== undefined && after !== undefined) compareColumns(step, resource.name, before, after);
    }
  }
}

function storedKind(model: Model, resource: ResourceModel | undefined): KindOfVersion | undefined {
  if (resource?.storage === undefined) return undefined;
  const { group, version, kind } = resource.storage;
  const groupVersion = model.groupVersions.find((each) => each.group === group && each.version === version);
  const type = groupVersion?.types.find(({ name }) => name === kind);
  return groupVersion !== undefined && type?.kind === 'struct' ? { groupVersion, kind: type } : undefined;
}

function compareColumns(step: Step, resource: string, before: KindOfVersion, after: KindOfVersion): void {
  const tell = (column: string, was: string, is: string): void =>
    step.report.violation('CP109', {
      element: `${before.groupVersion.folder} ${resource} column ${column}`,
      at: placeOf(after.groupVersion, after.kind),
      was,
      is,
      stability: stabilityIn(step, before.groupVersion),
      release: step.release,
    });
  const [old, now] = [shownColumns(before.kind), shownColumns(after.kind)];
  const names = new Set(now.map(({ name }) => name));
  for (const column of old) {
    const same = now.find(({ name }) => name === column.name);
    if (same === undefined) tell(column.name, 'a column of the table', 'not there');
    else for (const [what, was, is] of differences(column, same)) tell(column.name, `${what} ${was}`, `${what} ${is}`);
  }
  comparePositions(
    old.filter(({ name, priority = 0 }) => priority === 0 && names.has(name)),
    now.filter(({ priority = 0 }) => priority === 0),
    tell,
  );
}

/** Those that the server declares. */
function shownColumns({ table }: StructModel): readonly TableColumn[] {
  return (table?.columns ?? []).filter(({ undeclared }) => undeclared !== true);
}

function differences(before: TableColumn, after: TableColumn): [what: string, was: string, is: string][] {
  const found: [string, string, string][] = [];
  if (before.type !== after.type) found.push(['type', before.type, after.type]);
  if ((before.format ?? '') !== (after.format ?? '')) found.push(['format', before.format ?? 'none', after.format ?? 'none']);
  if ((before.priority ?? 0) < (after.priority ?? 0)) found.push(['shown', 'always', 'in wide output alone']);
  return found;
}

/** A column that is shown always keeps its position from the left: new ones come behind those that were there. */
function comparePositions(
  before: readonly TableColumn[],
  after: readonly TableColumn[],
  tell: (column: string, was: string, is: string) => void,
): void {
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
