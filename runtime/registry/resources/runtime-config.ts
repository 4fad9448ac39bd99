/** Which group versions are served: the value of --runtime-config over the defaults of their maturity (specification: Versioning). */
import type { GroupVersionData, ResourceData } from '../../contract/kind.ts';

const MATURITIES: Readonly<Record<string, (version: string) => boolean>> = {
  'api/all': () => true,
  'api/ga': (version) => /^v\d+$/.test(version),
  'api/beta': (version) => /^v\d+beta\d+$/.test(version),
  'api/alpha': (version) => /^v\d+alpha\d+$/.test(version),
};

type Version = Pick<GroupVersionData, 'group' | 'version' | 'enabledByDefault'>;
type KnownVersion = Version & { readonly resources: readonly Pick<ResourceData, 'name'>[] };

/** Whether a resource of a group version is served; without a resource, whether those are of which nobody says anything else. */
export type Serves = (groupVersion: Version, resource?: string) => boolean;

/**
 * @param config `<group>/<version>/<resource>`, `<group>/<version>` (core: `v1` or `api/v1`) or one of api/all, api/ga, api/beta, api/alpha, with "true",
 * "false" or "" (true)
 * @param known group versions with resolved names
 * @param noneByDefault what nobody names is not served, whatever its maturity
 * @throws Error for a value that is no truth value, and for a group version or a resource that nobody knows
 */
export function servedVersions(config: ReadonlyMap<string, string>, known: readonly KnownVersion[], noneByDefault = false): Serves {
  const names = new Set(known.flatMap((each) => [nameOf(each), ...resourceNames(each)]));
  const exact = new Map<string, boolean>();
  const classes: [(version: string) => boolean, boolean][] = [];
  for (const [key, value] of config) {
    if (!['', 'true', 'false'].includes(value)) throw new Error(`--runtime-config: ${key}=${value}: the value must be true or false`);
    const wanted = value !== 'false';
    const maturity = MATURITIES[key];
    if (maturity !== undefined) {
      classes.push([maturity, wanted]);
      continue;
    }
    const name = key.startsWith('api/') ? key.slice(4) : key;
    if (!names.has(name) && !isOfGoneVersion(known, name))
      throw new Error(`--runtime-config: no group version or resource is named ${JSON.stringify(key)}`);
    exact.set(name, wanted);
  }
  return (groupVersion, resource) => {
    const name = nameOf(groupVersion);
    const named = exact.get(`${name}/${resource}`) ?? exact.get(name);
    if (named !== undefined) return named;
    // The narrower class wins over api/all, whatever order they stand in.
    const matching = classes.filter(([matches]) => matches(groupVersion.version));
    const narrow = matching.find(([matches]) => matches !== MATURITIES['api/all']) ?? matching[0];
    return narrow?.[1] ?? (!noneByDefault && groupVersion.enabledByDefault);
  };
}

/**
 * Tells whether a name is that of a resource in a version that is gone with all its kinds. It is not known here which resources that version had, and after an
 * upgrade a flag may still name one.
 */
function isOfGoneVersion(known: readonly KnownVersion[], name: string): boolean {
  const [, version, resource] = /^(.*)\/([^/]+)$/.exec(name) ?? [];
  return resource !== undefined && known.some((each) => each.resources.length === 0 && nameOf(each) === version);
}

/** Resources of the core group cannot be switched off, because the server itself needs them. */
const resourceNames = (version: KnownVersion): string[] =>
  version.group === '' ? [] : version.resources.map(({ name }) => `${nameOf(version)}/${name}`);

function nameOf({ group, version }: Pick<GroupVersionData, 'group' | 'version'>): string {
  return group === '' ? version : `${group}/${version}`;
}
