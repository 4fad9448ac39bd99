/** Names of resources that are amounts of something: those without a slash and those with the project's own domain are native, others extended. */
import { qualifiedName } from './labels.ts';

/** Quotas put it before the name of a resource. */
export const REQUESTS = 'requests.';

/** @param labelDomain of the dialect */
export function isNativeResource(name: string, labelDomain: string): boolean {
  return !name.includes('/') || name.includes(`${labelDomain}/`);
}

/** Such resources count whole things. @param labelDomain of the dialect */
export function isExtendedResource(name: string, labelDomain: string): boolean {
  return !isNativeResource(name, labelDomain) && !name.startsWith(REQUESTS) && qualifiedName(`${REQUESTS}${name}`).length === 0;
}
