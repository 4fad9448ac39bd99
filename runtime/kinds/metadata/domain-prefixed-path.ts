import { type FieldError, invalid, required } from '../../contract/field-error.ts';
import { dnsSubdomain, patternMessage } from './names.ts';

const PATH = "[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+";
const pathPattern = new RegExp(`^${PATH}$`);

/** A host and a path, such as `example.com/edge`. */
export function domainPrefixedPath(value: string, path: string): FieldError[] {
  if (value === '') return [required(path)];
  const slash = value.indexOf('/');
  if (slash <= 0 || slash === value.length - 1) return [invalid(path, value, 'must be a domain-prefixed path (such as "acme.io/foo")')];
  const host = value.slice(0, slash);
  const rest = value.slice(slash + 1);
  return [
    ...dnsSubdomain(host).map((message) => invalid(path, host, message)),
    ...(pathPattern.test(rest) ? [] : [invalid(path, rest, patternMessage('Invalid path', PATH))]),
  ];
}
