import type { ApiObject } from '../../contract/object.ts';
import { dnsLabel } from '../../formats/names.ts';

/** Pods are named after their workload, and names with dots make poor host names. Said once, when the object is created. */
export function nameWarnings(object: ApiObject, old: ApiObject | undefined): string[] {
  const messages = old === undefined ? dnsLabel(object.metadata.name ?? '') : [];
  if (messages.length === 0) return [];
  return [
    'metadata.name: this is used in Pod names and hostnames, which can result in surprising behavior; ' +
      `a DNS label is recommended: [${messages.join(' ')}]`,
  ];
}
