/** Names of hosts in ingresses. */
import { type FieldError, invalid } from '../../contract/field-error.ts';
import { familyOf } from '../core/addresses.ts';
import { invalidAs } from '../core/findings.ts';
import { dnsSubdomain, isLongerThan, maxLength, patternMessage } from '../metadata/names.ts';

const WILDCARD_LENGTH = 253;
const WILDCARD = '\\*\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*';
const wildcardPattern = new RegExp(`^${WILDCARD}$`);
const WILDCARD_MESSAGE = patternMessage(
  "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must consist of lower case alphanumeric characters, '-' or '.' and end with an alphanumeric character",
  WILDCARD,
  '*.example.com',
);

export function isWildcard(host: string): boolean {
  return host.includes('*');
}

function wildcardSubdomain(host: string): readonly string[] {
  return [
    ...(isLongerThan(host, WILDCARD_LENGTH) ? [maxLength(WILDCARD_LENGTH)] : []),
    ...(wildcardPattern.test(host) ? [] : [WILDCARD_MESSAGE]),
  ];
}

export function validateHostOrWildcard(host: string, path: string): readonly FieldError[] {
  return invalidAs(isWildcard(host) ? wildcardSubdomain(host) : dnsSubdomain(host), path, host);
}

export function refuseAddress(host: string, path: string): readonly FieldError[] {
  return familyOf(host) === undefined ? [] : [invalid(path, host, 'must be a DNS name, not an IP address')];
}
