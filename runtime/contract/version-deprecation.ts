/** What clients are warned of where they use a version that its definition calls deprecated, in the words of 1.32. */
import { compareVersions } from './version-priority.ts';

interface Version {
  readonly name: string;
  readonly served: boolean;
  readonly deprecated?: boolean;
  readonly deprecationWarning?: string;
}

/** Of a definition's `spec`. */
interface Versions {
  readonly group: string;
  readonly names: { readonly kind: string };
  readonly versions: readonly Version[];
}

/** What counts of a version that nobody has validated. */
export const deprecatable = ({ name, served, deprecated, deprecationWarning }: Readonly<Record<string, unknown>>): Version => ({
  name: String(name),
  served: served === true,
  deprecated: deprecated === true,
  ...(typeof deprecationWarning === 'string' && { deprecationWarning }),
});

/** @returns undefined for a version that is not deprecated */
export function deprecationOf({ name, deprecated, deprecationWarning }: Version, { group, names, versions }: Versions): string | undefined {
  if (deprecated !== true) return undefined;
  if (deprecationWarning !== undefined) return deprecationWarning;
  const text = `${group}/${name} ${names.kind} is deprecated`;
  const newest = newestSince(name, versions);
  return newest === undefined ? text : `${text}; use ${group}/${newest} ${names.kind}`;
}

/** Of the versions that may be used instead, which stand before the deprecated one. */
function newestSince(deprecated: string, versions: readonly Version[]): string | undefined {
  let newest: string | undefined;
  for (const version of versions)
    if (version.served && version.deprecated !== true && compareVersions(version.name, newest ?? deprecated) < 0) newest = version.name;
  return newest;
}
