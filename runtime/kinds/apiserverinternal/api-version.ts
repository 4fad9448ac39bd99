import { dns1035Label, dnsSubdomain, patternMessage } from '../metadata/names.ts';

const EMPTY = 'must be non-empty';
const FORM = `an apiVersion is ${patternMessage(
  "a DNS-1035 label, which must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character",
  '[a-z]([-a-z0-9]*[a-z0-9])?',
  'my-name',
  'abc-123',
)} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyVersion')`;

/** A version such as `v1`, with a group and a slash in front where it is not of the core group. */
export function apiVersion(value: string): readonly string[] {
  const parts = value.split('/');
  if (parts.length > 2) return [FORM];
  const version = parts.at(-1) as string;
  const group = parts.length === 2 ? partMessages(parts[0] as string, dnsSubdomain, 'group') : [];
  return [...group, ...partMessages(version, dns1035Label, 'version')];
}

function partMessages(part: string, syntax: (value: string) => readonly string[], name: string): string[] {
  return (part === '' ? [EMPTY] : syntax(part)).map((message) => `${name} part: ${message}`);
}
