/** User name and groups of a service account, and the account of a user name (specification: service account tokens). */
import { dnsLabel, dnsSubdomain } from '../formats/names.ts';

const PREFIX = 'system:serviceaccount:';
const GROUP = 'system:serviceaccounts';

export function serviceAccountUserName(namespace: string, name: string): string {
  return `${PREFIX}${namespace}:${name}`;
}

export function serviceAccountGroups(namespace: string): string[] {
  return [GROUP, `${GROUP}:${namespace}`];
}

/** @returns undefined if the user is no service account */
export function splitServiceAccountUserName(user: string): { namespace: string; name: string } | undefined {
  if (!user.startsWith(PREFIX)) return undefined;
  const [namespace = '', name = '', ...rest] = user.slice(PREFIX.length).split(':');
  if (rest.length > 0 || dnsLabel(namespace).length > 0 || dnsSubdomain(name).length > 0) return undefined;
  return { namespace, name };
}
