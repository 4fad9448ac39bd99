/**
 * Returns a number that is higher for versions which come first: stable ones before beta ones before alpha ones, then higher numbers first. `v0` comes last.
 */
export function versionPriority(version: string): number {
  const [, major, stage, minor] = /^v(\d+)(?:(alpha|beta)(\d+))?$/.exec(version) ?? [];
  const level = stage === undefined && major !== '0' ? 200 : stage === 'beta' ? 100 : 0;
  return level + Math.min(Number(major ?? 0), 9) * 10 + Math.min(Number(minor ?? 0), 9);
}

const KNOWN_FORM = /^v([1-9]\d*)(?:(alpha|beta)([1-9]\d*))?$/;
const STAGES = ['alpha', 'beta', undefined];

/**
 * Compares two versions of the same priority for sorting: stable before beta before alpha, then higher numbers first; names of another form last,
 * alphabetically.
 */
export function compareVersions(a: string, b: string): number {
  const [one, other] = [KNOWN_FORM.exec(a), KNOWN_FORM.exec(b)];
  if (one === null || other === null) return one !== null ? -1 : other !== null ? 1 : a < b ? -1 : a > b ? 1 : 0;
  return (
    STAGES.indexOf(other[2]) - STAGES.indexOf(one[2]) || Number(other[1]) - Number(one[1]) || Number(other[3] ?? 0) - Number(one[3] ?? 0)
  );
}
