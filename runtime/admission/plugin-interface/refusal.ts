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

/**
 * Whether a request brings a pod, or containers to look into one in the form of a pod. Before 1.22 these had a form of their own, which plugins for pods did not
 * judge.
 */
export function bringsPod({ resource: { groupResource }, subresource, kind }: AdmissionAttributes): boolean {
  const isOfPods = groupResource.resource === 'pods' && groupResource.group === '' && kind.kind === 'Pod';
  return isOfPods && (subresource === '' || subresource === 'ephemeralcontainers');
}

/** Makes `concerns` for plugins that are for one or several resources of one group. */
export const only =
  (group: string, ...resources: readonly string[]): NonNullable<AdmissionPlugin['concerns']> =>
  (of) =>
    of.group === group && resources.includes(of.resource);

export const onlyPods = only('', 'pods');
