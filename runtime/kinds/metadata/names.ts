/**
 * Syntax of names, as 1.32 checks it. Every function returns what is wrong, one sentence each, empty when nothing is;
 * the sentences are those of 1.32, since clients show them to people.
 */
import type { NameFormat } from '../../contract/kind.ts';

const LABEL_LENGTH = 63;
const SUBDOMAIN_LENGTH = 253;

const LABEL = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
const SUBDOMAIN = `${LABEL}(\\.${LABEL})*`;
const LABEL_1035 = '[a-z]([-a-z0-9]*[a-z0-9])?';
const QUALIFIED = '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]';
const LABEL_VALUE = `(${QUALIFIED})?`;

const labelPattern = new RegExp(`^${LABEL}$`);
const subdomainPattern = new RegExp(`^${SUBDOMAIN}$`);
const label1035Pattern = new RegExp(`^${LABEL_1035}$`);
const qualifiedPattern = new RegExp(`^${QUALIFIED}$`);
const labelValuePattern = new RegExp(`^${LABEL_VALUE}$`);

const NOTHING: readonly string[] = [];

export const maxLength = (limit: number): string => `must be no more than ${limit} characters`;

/** The sentence for a value that does not match a pattern. */
export function patternMessage(sentence: string, pattern: string, ...examples: readonly string[]): string {
  if (examples.length === 0) return `${sentence} (regex used for validation is '${pattern}')`;
  return `${sentence} (e.g. ${examples.map((example) => `'${example}', `).join(' or ')}regex used for validation is '${pattern}')`;
}

const LABEL_MESSAGE = patternMessage(
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character",
  LABEL,
  'my-name',
  '123-abc',
);
const SUBDOMAIN_MESSAGE = patternMessage(
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character",
  SUBDOMAIN,
  'example.com',
);
const LABEL_1035_MESSAGE = patternMessage(
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character",
  LABEL_1035,
  'my-name',
  'abc-123',
);
const QUALIFIED_MESSAGE = patternMessage(
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
  QUALIFIED,
  'MyName',
  'my.name',
  '123-abc',
);
const LABEL_VALUE_MESSAGE = patternMessage(
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
  LABEL_VALUE,
  'MyValue',
  'my_value',
  '12345',
);

/** Lengths count bytes of UTF-8; a code unit is at most three. */
export function isLongerThan(value: string, limit: number): boolean {
  return value.length > limit || (value.length * 3 > limit && Buffer.byteLength(value) > limit);
}

export function dnsLabel(value: string): readonly string[] {
  const tooLong = isLongerThan(value, LABEL_LENGTH);
  if (!tooLong && labelPattern.test(value)) return NOTHING;
  const messages = tooLong ? [maxLength(LABEL_LENGTH)] : [];
  if (!labelPattern.test(value)) messages.push(subdomainPattern.test(value) ? 'must not contain dots' : LABEL_MESSAGE);
  return messages;
}

export function dnsSubdomain(value: string): readonly string[] {
  return check(value, SUBDOMAIN_LENGTH, subdomainPattern, SUBDOMAIN_MESSAGE);
}

export function dns1035Label(value: string): readonly string[] {
  return check(value, LABEL_LENGTH, label1035Pattern, LABEL_1035_MESSAGE);
}

/** A label's value. */
export function labelValue(value: string): readonly string[] {
  return check(value, LABEL_LENGTH, labelValuePattern, LABEL_VALUE_MESSAGE);
}

function check(value: string, limit: number, pattern: RegExp, message: string): readonly string[] {
  const tooLong = isLongerThan(value, limit);
  const matches = pattern.test(value);
  if (!tooLong && matches) return NOTHING;
  const messages = tooLong ? [maxLength(limit)] : [];
  if (!matches) messages.push(message);
  return messages;
}

const MAX_REMEMBERED = 4_096;
/** Keys that are right; the same few come again and again. */
const rightNames = new Set<string>();

/** A label's key: a name of at most 63 characters with an optional DNS subdomain and a slash in front. */
export function qualifiedName(value: string): readonly string[] {
  if (rightNames.has(value)) return NOTHING;
  const messages = qualifiedNameMessages(value);
  if (messages.length === 0) {
    if (rightNames.size >= MAX_REMEMBERED) rightNames.clear();
    rightNames.add(value);
  }
  return messages;
}

function qualifiedNameMessages(value: string): readonly string[] {
  const slash = value.indexOf('/');
  if (slash !== -1 && value.indexOf('/', slash + 1) !== -1)
    return [`a qualified name ${QUALIFIED_MESSAGE} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`];
  const name = slash === -1 ? value : value.slice(slash + 1);
  const messages = slash === -1 ? [] : prefixMessages(value.slice(0, slash));
  if (name === '') messages.push('name part must be non-empty');
  else if (isLongerThan(name, LABEL_LENGTH)) messages.push(`name part ${maxLength(LABEL_LENGTH)}`);
  if (!qualifiedPattern.test(name)) messages.push(`name part ${QUALIFIED_MESSAGE}`);
  return messages;
}

function prefixMessages(prefix: string): string[] {
  if (prefix === '') return ['prefix part must be non-empty'];
  return dnsSubdomain(prefix).map((message) => `prefix part ${message}`);
}

/** A name that may stand as one segment of a URL path. */
export function pathSegment(value: string): readonly string[] {
  if (value === '.' || value === '..') return [`may not be '${value}'`];
  return pathSegmentPrefix(value);
}

function pathSegmentPrefix(value: string): readonly string[] {
  return ['/', '%'].filter((character) => value.includes(character)).map((character) => `may not contain '${character}'`);
}

const formats: Readonly<Record<NameFormat, (value: string) => readonly string[]>> = { dnsSubdomain, dnsLabel, dns1035Label, pathSegment };

export function nameMessages(name: string, format: NameFormat): readonly string[] {
  return formats[format](name);
}

/** Of a prefix that a random suffix will follow: it may end in a dash. */
export function generateNameMessages(prefix: string, format: NameFormat): readonly string[] {
  if (format === 'pathSegment') return pathSegmentPrefix(prefix);
  const masked = prefix.length > 1 && prefix.endsWith('-') ? `${prefix.slice(0, -2)}a` : prefix;
  return formats[format](masked);
}
