/** How plugins refuse, as 1.32 words it for all of them. */
import { newForbidden, type StatusError } from '../status/status.ts';
import type { AdmissionAttributes } from './request/attributes.ts';

/** The name of what is asked about; of an object that gets its name later, what it begins with. */
export function shownName({ name, object }: AdmissionAttributes): string {
  return name || object?.metadata?.name || (object?.metadata?.generateName ?? '');
}

/** @param cause why */
export function forbidden(attributes: AdmissionAttributes, cause: string): StatusError {
  return newForbidden(attributes.resource.groupResource, shownName(attributes), cause);
}

/** Whether a request is about objects of a resource themselves. @param group '' for the core group */
export function isOf({ resource: { groupResource }, subresource }: AdmissionAttributes, group: string, resource: string): boolean {
  return groupResource.resource === resource && groupResource.group === group && subresource === '';
}

export const isPod = (attributes: AdmissionAttributes): boolean => isOf(attributes, '', 'pods');
