/** Checks kinds of files. They are decoded, defaulted, converted and validated as those of the API, and never served. */
import type { GroupVersion } from '../model/model.ts';
import type { CheckContext } from './check-context.ts';
import { placeOf } from './places.ts';

export function checkFiles(context: CheckContext): void {
  const owners = new Map<string, string>();
  for (const groupVersion of context.model.groupVersions) {
    if (groupVersion.files) checkFileVersion(groupVersion, owners, context);
    else checkServedVersion(groupVersion, context);
  }
}

/** @param owners documents by the group, version and kind that a file may name; gains those of this group version */
function checkFileVersion(groupVersion: GroupVersion, owners: Map<string, string>, { report }: CheckContext): void {
  const { group, version, source, resources, types } = groupVersion;
  if (resources.length > 0) report('CS060', { file: source, path: 'x-cluster-resources' }, 'There are resources.');
  for (const type of types) {
    if (type.kind !== 'struct' || !type.topLevel) continue;
    const at = placeOf(groupVersion, type);
    if (type.table !== undefined) report('CS060', { file: source, path: `${at.path}.x-cluster-table` }, `${type.name} has a table.`);
    const key = `${group}/${version} ${type.name}`;
    const other = owners.get(key);
    if (other !== undefined) report('CS041', at, `${type.name} of ${group}/${version} is declared in ${other} too.`);
    owners.set(key, source);
  }
}

function checkServedVersion(groupVersion: GroupVersion, { report }: CheckContext): void {
  for (const type of groupVersion.types)
    if (type.kind === 'struct' && type.file !== undefined)
      report(
        'CS060',
        { file: groupVersion.source, path: `${placeOf(groupVersion, type).path}.x-cluster-file` },
        `${type.name} is no kind of files.`,
      );
}
