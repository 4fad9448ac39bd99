import type { Identity } from '../contract/identity.ts';
import { systemClasses } from '../kinds/scheduling/system-classes.ts';
import type { SystemObject } from './system-object.ts';

/** The classes of pods that a cluster cannot do without. */
export function systemPriorityClasses({ text }: Identity): SystemObject[] {
  const resource = { group: text('scheduling.${groupDomain}'), version: 'v1', name: 'priorityclasses' };
  return systemClasses.map(({ name, ...members }) => ({ resource, metadata: { name }, members }));
}
