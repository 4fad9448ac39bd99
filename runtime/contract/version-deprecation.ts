/** Makes the warning for clients that use a version which its definition calls deprecated, in the words of 1.32. */
import { compareVersions } from './version-priority.ts';

interface Version {
  readonly name: string;
  readonly served: boolean;
  readonly deprecated?: boolean;
  readonly deprecationWarning?: string;
}

/** The members of a definition's `spec` that the warning depends on. */
interface Versions {
  readonly group: string;
  readonly names: { readonly kind: string };
  readonly versions: readonly Version[];
}

/** Reads a version that has not been validated. Members of other types than expected count as absent. */
export const deprecatable = ({ name, served, deprecated, deprecationWarning }: Readonly<Record<string, unknown>>): Version => ({
  name: String(name),
  served: served === true,
  deprecated: deprecated === true,
  ...(typeof deprecationWarning === 'string' && { deprecationWarning }),
});

/** @returns the warning: the text of the definition, or one that names the version to use; undefined for a version that is not deprecated */
export function deprecationOf({ name, deprecated, deprecationWarning }: Version, { group, names, versions }: Versions): string | undefined {
  if (deprecated !== true) return undefined;
  if (deprecationWarning !== undefined) return deprecationWarning;
  const text = `${group}/${name} ${names.kind} is deprecated`;
  const newest = newestSince(name, versions);
  return newest === undefined ? text : `${text}; use ${group}/${newest} ${names.kind}`;
}

/** Finds the newest version to use instead: one that is served, not deprecated, and newer than the deprecated one. @returns undefined if there is none */
function newestSince(deprecated: string, versions: readonly Version[]): string | undefined {
  let newest: string | undefined;
  for (const version of versions)
    if (version.served && version.deprecated !== true && compareVersions(version.name, newest ?? deprecated) < 0) newest = version.name;
  return newest;
}
