/** Makes the refusals of plugins, in the words that 1.32 has for all of them. */
import { newForbidden, type StatusError } from '../../status/status.ts';
import type { AdmissionAttributes } from '../request/attributes.ts';
import { shownName } from '../request/shown-name.ts';
import type { AdmissionPlugin } from './plugin.ts';

/** @param cause why */
export function forbidden(attributes: AdmissionAttributes, cause: string): StatusError {
  return newForbidden(attributes.resource.groupResource, shownName(attributes), cause);
}

/** Whether a request is about objects of a resource themselves. @param group '' for the core group */
export function isOf({ resource: { groupResource }, subresource }: AdmissionAttributes, group: string, resource: string): boolean {
  return groupResource.resource === resource && groupResource.group === group && subresource === '';
}

export const isPod = (attributes: AdmissionAttributes): boolean => isOf(attributes, '', 'pods');

/** Makes `concerns` for plugins that are for one or several resources of one group. */
export const only =
  (group: string, ...resources: readonly string[]): NonNullable<AdmissionPlugin['concerns']> =>
  (of) =>
    of.group === group && resources.includes(of.resource);

export const onlyPods = only('', 'pods');
