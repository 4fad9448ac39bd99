/** API versions with their groups. */
import { NOTHING, patternMessage } from './messages.ts';
import { dns1035Label, dnsSubdomain } from './names.ts';

const EMPTY = ['must be non-empty'];
const FORM = `an apiVersion is ${patternMessage(
  "a DNS-1035 label, which must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character",
  '[a-z]([-a-z0-9]*[a-z0-9])?',
  'my-name',
  'abc-123',
)} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyVersion')`;

/** Accepts a version such as `v1`, preceded by a group and a slash unless the group is the core group. */
export function apiVersion(value: string): readonly string[] {
  const parts = value.split('/');
  if (parts.length > 2) return [FORM];
  const version = partMessages(parts.at(-1) as string, dns1035Label, 'version');
  if (parts.length < 2) return version;
  const group = partMessages(parts[0] as string, dnsSubdomain, 'group');
  return group.length === 0 ? version : [...group, ...version];
}

function partMessages(part: string, syntax: (value: string) => readonly string[], name: string): readonly string[] {
  const messages = part === '' ? EMPTY : syntax(part);
  return messages.length === 0 ? NOTHING : messages.map((message) => `${name} part: ${message}`);
}
