import type { ApiObject } from '../../contract/object.ts';
import { dnsLabel } from '../../formats/names.ts';

/** Pods, and hosts in them, are named after their workload, and names with dots make poor host names. Said once, when the object is created. */
export function nameWarnings({ metadata }: ApiObject, old: ApiObject | undefined, usedIn = 'Pod names and hostnames'): string[] {
  const messages = old === undefined ? dnsLabel(metadata.name ?? '') : [];
  const recommended = `which can result in surprising behavior; a DNS label is recommended: [${messages.join(' ')}]`;
  return messages.length === 0 ? [] : [`metadata.name: this is used in ${usedIn}, ${recommended}`];
}
