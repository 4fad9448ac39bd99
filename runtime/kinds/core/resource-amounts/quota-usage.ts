import type { ResourceQuotaStatus } from '../../../../generated/core/v1/types.ts';

/** What is used of each resource, and how much may be: `cpu: 1/2, pods: 3/10`. */
export function usageText({ hard = {}, used = {} }: ResourceQuotaStatus = {}, isShown: (resource: string) => boolean): string {
  const names = Object.keys(hard).filter(isShown).sort();
  return names.map((name) => `${name}: ${Object.hasOwn(used, name) ? used[name] : '0'}/${hard[name]}`).join(', ');
}
