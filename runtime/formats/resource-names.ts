/** Names of countable resources: those without a slash, or with the project's own domain, are native; others are extended. */
import { qualifiedName } from './labels.ts';

/** prefix of resource names in quotas */
export const REQUESTS = 'requests.';

/** @param labelDomain label domain of the dialect */
export function isNativeResource(name: string, labelDomain: string): boolean {
  return !name.includes('/') || name.includes(`${labelDomain}/`);
}

/** Extended resources are counted in integers. @param labelDomain label domain of the dialect */
export function isExtendedResource(name: string, labelDomain: string): boolean {
  return !isNativeResource(name, labelDomain) && !name.startsWith(REQUESTS) && qualifiedName(`${REQUESTS}${name}`).length === 0;
}
