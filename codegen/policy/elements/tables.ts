/** Compares the columns of tables, which scripts read by their position and people by their names. */
import type { TableColumn } from '../../../runtime/contract/table.ts';
import { placeOf } from '../../check/places.ts';
import type { Model, ResourceModel, StructModel } from '../../model/model.ts';
import { compareColumnLists } from './column-lists.ts';
import type { KindOfVersion } from './kinds.ts';
import { groupVersionIn, type Step, stabilityIn } from './step.ts';

/** The kind that is stored states the table. When another version becomes the stored one, its table must show what this one showed. */
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
  compareColumnLists(shownColumns(before.kind), shownColumns(after.kind), tell);
}

/** @returns the columns that the server declares */
function shownColumns({ table }: StructModel): readonly TableColumn[] {
  return (table?.columns ?? []).filter(({ undeclared }) => undeclared !== true);
}
