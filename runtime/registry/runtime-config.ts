/** Which group versions are served: the value of --runtime-config over the defaults of their maturity (specification: Versioning). */
import type { GroupVersionData } from '../contract/kind.ts';

const MATURITIES: Readonly<Record<string, (version: string) => boolean>> = {
  'api/all': () => true,
  'api/ga': (version) => /^v\d+$/.test(version),
  'api/beta': (version) => /^v\d+beta\d+$/.test(version),
  'api/alpha': (version) => /^v\d+alpha\d+$/.test(version),
};

/**
 * @param config `<group>/<version>` (core: `v1` or `api/v1`) or one of api/all, api/ga, api/beta, api/alpha, with "true", "false" or "" (true)
 * @param known group versions with resolved names
 * @param noneByDefault what nobody names is not served, whatever its maturity
 * @throws Error for a value that is no truth value, and for a group version that nobody knows
 */
export function servedVersions(
  config: ReadonlyMap<string, string>,
  known: readonly Pick<GroupVersionData, 'group' | 'version' | 'enabledByDefault'>[],
  noneByDefault = false,
): (groupVersion: Pick<GroupVersionData, 'group' | 'version' | 'enabledByDefault'>) => boolean {
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
    if (!known.some((each) => nameOf(each) === name)) throw new Error(`--runtime-config: no group version is named ${JSON.stringify(key)}`);
    exact.set(name, wanted);
  }
  return (groupVersion) => {
    const named = exact.get(nameOf(groupVersion));
    if (named !== undefined) return named;
    // The narrower class wins over api/all, whatever order they stand in.
    const matching = classes.filter(([matches]) => matches(groupVersion.version));
    const narrow = matching.find(([matches]) => matches !== MATURITIES['api/all']) ?? matching[0];
    return narrow?.[1] ?? (!noneByDefault && groupVersion.enabledByDefault);
  };
}

function nameOf({ group, version }: Pick<GroupVersionData, 'group' | 'version'>): string {
  return group === '' ? version : `${group}/${version}`;
}
