/** Stable before beta before alpha, then the higher number first; v0 is older than all of them. */
export function versionPriority(version: string): number {
  const [, major, stage, minor] = /^v(\d+)(?:(alpha|beta)(\d+))?$/.exec(version) ?? [];
  const level = stage === undefined && major !== '0' ? 200 : stage === 'beta' ? 100 : 0;
  return level + Math.min(Number(major ?? 0), 9) * 10 + Math.min(Number(minor ?? 0), 9);
}
