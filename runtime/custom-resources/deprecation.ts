/** What clients are warned of where they use a version that its definition calls deprecated, in the words of 1.32. */
import { compareVersions } from '../contract/version-priority.ts';
import type { CustomDefinition, CustomVersion } from './definition.ts';

/** @returns undefined for a version that is not deprecated */
export function deprecationOf({ name, deprecated, deprecationWarning }: CustomVersion, { spec }: CustomDefinition): string | undefined {
  if (deprecated !== true) return undefined;
  if (deprecationWarning !== undefined) return deprecationWarning;
  const text = `${spec.group}/${name} ${spec.names.kind} is deprecated`;
  const newest = newestSince(name, spec.versions);
  return newest === undefined ? text : `${text}; use ${spec.group}/${newest} ${spec.names.kind}`;
}

/** Of the versions that may be used instead, which stand before the deprecated one. */
function newestSince(deprecated: string, versions: readonly CustomVersion[]): string | undefined {
  let newest: string | undefined;
  for (const version of versions)
    if (version.served && version.deprecated !== true && compareVersions(version.name, newest ?? deprecated) < 0) newest = version.name;
  return newest;
}
