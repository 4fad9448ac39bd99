import type { Struct } from '../struct.ts';

/** What is used of each resource, and how much may be: `cpu: 1/2, pods: 3/10`. @param status of a ResourceQuota */
export function usageText(status: Struct | undefined, isShown: (resource: string) => boolean): string {
  const { hard = {}, used = {} } = status ?? {};
  const names = Object.keys(hard).filter(isShown).sort();
  return names.map((name) => `${name}: ${Object.hasOwn(used, name) ? used[name] : '0'}/${hard[name]}`).join(', ');
}
