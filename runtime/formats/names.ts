/** Names of objects, hosts and domains. Every function returns the errors of a value, one sentence each. */
import type { NameFormat } from '../contract/kind.ts';
import { isLongerThan, maxLength, NOTHING, patternMessage, patternMessages } from './messages.ts';

const LABEL_LENGTH = 63;
const SUBDOMAIN_LENGTH = 253;

const LABEL = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
const SUBDOMAIN = `${LABEL}(\\.${LABEL})*`;
const LABEL_WITH_UNDERSCORES = '_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?';
const SUBDOMAIN_WITH_UNDERSCORES = `${LABEL_WITH_UNDERSCORES}(\\.${LABEL_WITH_UNDERSCORES})*`;
const WILDCARD = `\\*\\.${SUBDOMAIN}`;
const LABEL_1035 = '[a-z]([-a-z0-9]*[a-z0-9])?';

const labelPattern = new RegExp(`^${LABEL}$`);
const subdomainPattern = new RegExp(`^${SUBDOMAIN}$`);
const subdomainPatternWithUnderscores = new RegExp(`^${SUBDOMAIN_WITH_UNDERSCORES}$`);
const wildcardPattern = new RegExp(`^${WILDCARD}$`);
const label1035Pattern = new RegExp(`^${LABEL_1035}$`);

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
const SUBDOMAIN_MESSAGE_WITH_UNDERSCORES = patternMessage(
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '_', '-' or '.', and must start and end with an alphanumeric character",
  SUBDOMAIN_WITH_UNDERSCORES,
  'example.com',
);
const WILDCARD_MESSAGE = patternMessage(
  "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must consist of lower case alphanumeric characters, '-' or '.' and end with an alphanumeric character",
  WILDCARD,
  '*.example.com',
);
const LABEL_1035_MESSAGE = patternMessage(
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character",
  LABEL_1035,
  'my-name',
  'abc-123',
);

export function dnsLabel(value: string): readonly string[] {
  const tooLong = isLongerThan(value, LABEL_LENGTH);
  if (!tooLong && labelPattern.test(value)) return NOTHING;
  const messages = tooLong ? [maxLength(LABEL_LENGTH)] : [];
  if (!labelPattern.test(value)) messages.push(subdomainPattern.test(value) ? 'must not contain dots' : LABEL_MESSAGE);
  return messages;
}

export function dnsSubdomain(value: string): readonly string[] {
  return patternMessages(value, SUBDOMAIN_LENGTH, subdomainPattern, SUBDOMAIN_MESSAGE);
}

/** Accepts subdomains with underscores, for names that are not those of hosts. */
export function dnsSubdomainWithUnderscores(value: string): readonly string[] {
  return patternMessages(value, SUBDOMAIN_LENGTH, subdomainPatternWithUnderscores, SUBDOMAIN_MESSAGE_WITH_UNDERSCORES);
}

/** Capitals are accepted. */
export function dnsSubdomainOfAnyCase(value: string): readonly string[] {
  return dnsSubdomain(value.toLowerCase());
}

/** `*` stands for all names. */
export function dnsSubdomainOrAll(value: string): readonly string[] {
  return value === '*' ? NOTHING : dnsSubdomain(value);
}

export function dns1035Label(value: string): readonly string[] {
  return patternMessages(value, LABEL_LENGTH, label1035Pattern, LABEL_1035_MESSAGE);
}

export function isWildcard(host: string): boolean {
  return host.includes('*');
}

/** Accepts a DNS subdomain, which `*.` may precede. */
export function hostPattern(value: string): readonly string[] {
  return isWildcard(value) ? patternMessages(value, SUBDOMAIN_LENGTH, wildcardPattern, WILDCARD_MESSAGE) : dnsSubdomain(value);
}

/** Accepts a name that can be a segment of a URL path. */
export function pathSegment(value: string): readonly string[] {
  if (value === '.' || value === '..') return [`may not be '${value}'`];
  return pathSegmentPrefix(value);
}

function pathSegmentPrefix(value: string): readonly string[] {
  if (!value.includes('/') && !value.includes('%')) return NOTHING;
  return ['/', '%'].filter((character) => value.includes(character)).map((character) => `may not contain '${character}'`);
}

const formats: Readonly<Record<NameFormat, (value: string) => readonly string[]>> = { dnsSubdomain, dnsLabel, dns1035Label, pathSegment };

export function nameMessages(name: string, format: NameFormat): readonly string[] {
  return formats[format](name);
}

/** Checks a prefix before a random suffix, which may end with a dash. */
export function generateNameMessages(prefix: string, format: NameFormat): readonly string[] {
  if (format === 'pathSegment') return pathSegmentPrefix(prefix);
  // 1.32 replaces the last two bytes, so a character beyond ASCII before the dash stays wrong
  const isMasked = prefix.length > 1 && prefix.endsWith('-') && prefix.charCodeAt(prefix.length - 2) < 0x80;
  return formats[format](isMasked ? `${prefix.slice(0, -2)}a` : prefix);
}
