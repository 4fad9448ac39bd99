/** Checks kinds of structural schemas: they must not state what a server would refuse in a definition. */
import { versionFindings } from '../../runtime/custom-resources/version-findings.ts';
import type { GroupVersion, StructModel } from '../model/model.ts';
import { structuralDefinitions } from '../model/structural/definitions.ts';
import type { CheckContext } from './check-context.ts';
import { placeOf } from './places.ts';

/** Members that a printer column of a definition may have. */
const COLUMN = new Set(['name', 'type', 'format', 'description', 'priority', 'path', 'age']);

export function checkStructuralKinds(context: CheckContext): void {
  for (const groupVersion of context.model.groupVersions) {
    if (groupVersion.structural === undefined) continue;
    for (const type of groupVersion.types) if (type.kind === 'struct') checkTable(groupVersion, type, context);
    checkSchemas(groupVersion, context);
  }
}

function checkTable(groupVersion: GroupVersion, struct: StructModel, { report }: CheckContext): void {
  const { file, path } = placeOf(groupVersion, struct);
  for (const column of struct.table?.columns ?? []) {
    const tell = (problem: string): void =>
      report(
        'CS057',
        { file, path: `${path}.x-cluster-table` },
        `Column ${column.name} ${problem}`,
        'A column of a structural kind has a path, or an age where its type is date.',
      );
    for (const member of Object.keys(column)) if (!COLUMN.has(member)) tell(`has ${member}.`);
    const source = column.type === 'date' ? column.age : column.path;
    if (typeof source !== 'string') tell(`has no ${column.type === 'date' ? 'age' : 'path'}.`);
  }
}

function checkSchemas(groupVersion: GroupVersion, { model, report }: CheckContext): void {
  for (const { spec } of structuralDefinitions(model, new Set([groupVersion.folder])))
    for (const version of spec.versions)
      for (const { field, message } of versionFindings(version))
        report('CS105', { file: groupVersion.source, path: `components.schemas.${spec.names.kind}` }, `${field}: ${message}.`);
}
