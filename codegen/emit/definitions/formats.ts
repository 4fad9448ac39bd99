/** Writes named formats of values as keywords of schemas, or as expressions in rules. */
import type { SchemaNode } from './schema-node.ts';

interface KeywordForm {
  readonly pattern?: string;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
}

const LABEL = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
const HOST_AND_PORT = '(\\[[^[\\]]*\\]|[^:[\\],]*):[^:[\\],]*';
const NAME_PART = '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]';
const SUBDOMAIN = `${LABEL}(\\.${LABEL})*`;

/** Keywords of texts, and of port numbers. Each says what the format says, except how many bytes parts of the text may have. */
const KEYWORDS: Readonly<Record<string, KeywordForm>> = {
  dnsLabel: { pattern: `^${LABEL}$`, maxLength: 63 },
  dnsSubdomain: { pattern: `^${SUBDOMAIN}$`, maxLength: 253 },
  dnsSubdomainOfAnyCase: { pattern: `^${SUBDOMAIN.replaceAll('a-z', 'A-Za-z')}$`, maxLength: 253 },
  dnsSubdomainOrAll: { pattern: `^(\\*|${SUBDOMAIN})$`, maxLength: 253 },
  dns1035Label: { pattern: '^[a-z]([-a-z0-9]*[a-z0-9])?$', maxLength: 63 },
  hostPattern: { pattern: `^(\\*\\.)?${SUBDOMAIN}$`, maxLength: 253 },
  qualifiedName: { pattern: `^(${SUBDOMAIN}/)?${NAME_PART}$`, maxLength: 317 },
  labelKey: { pattern: `^(${SUBDOMAIN}/)?${NAME_PART}$`, maxLength: 317 },
  labelValue: { pattern: `^(${NAME_PART})?$`, maxLength: 63 },
  configMapKey: { pattern: '^[-._a-zA-Z0-9]+$', maxLength: 253 },
  environmentName: { pattern: '^[ -<>-~]+$' },
  httpHeaderName: { pattern: '^[-A-Za-z0-9]+$' },
  cIdentifier: { pattern: '^[A-Za-z_][A-Za-z0-9_]*$' },
  conditionReason: { pattern: '^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$' },
  hostPortPairs: { pattern: `^${HOST_AND_PORT}(,${HOST_AND_PORT})*$` },
  percent: { pattern: '^[0-9]+%$' },
  absolutePath: { pattern: '^/' },
  uuid: { pattern: '^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$' },
  portNumber: { minimum: 1, maximum: 65_535 },
};

const PERCENT_OR_AMOUNT = (value: string): string => `type(${value}) == int ? ${value} >= 0 : ${value}.matches('^[0-9]+%$')`;

/** Expressions of formats that no keywords say, made of the expression of a value. */
const EXPRESSIONS: Readonly<Record<string, (value: string) => string>> = {
  pathSegment: (value) => `${value} != '.' && ${value} != '..' && !${value}.contains('/') && !${value}.contains('%')`,
  ip: (value) => `isIP(${value})`,
  ipv4: (value) => `isIP(${value}) && ip(${value}).family() == 4`,
  ipv6: (value) => `isIP(${value}) && ip(${value}).family() == 6`,
  canonicalIp: (value) => `isIP(${value}) && ip.isCanonical(${value})`,
  cidr: (value) => `isCIDR(${value})`,
  canonicalCidr: (value) => `isCIDR(${value}) && cidr(${value}) == cidr(${value}).masked()`,
  notAnAddress: (value) => `!isIP(${value})`,
  pathWithoutBacksteps: (value) => `!${value}.split('/').exists(part, part == '..')`,
  relativePath: (value) => `!${value}.startsWith('/') && !${value}.split('/').exists(part, part == '..')`,
  unreservedPath: (value) => `!${value}.startsWith('/') && !${value}.startsWith('..') && !${value}.split('/').exists(part, part == '..')`,
};

/** Expressions for values that are an integer or a text. */
const MIXED: Readonly<Record<string, (value: string) => string>> = {
  intOrPercent: PERCENT_OR_AMOUNT,
  atMostAll: (value) => `type(${value}) == int || !${value}.matches('^[0-9]+%$') || ${value}.matches('^(100|[0-9]{1,2})%$')`,
  portNumberOrName: (value) =>
    `type(${value}) == int ? ${value} >= 1 && ${value} <= 65535 : ${value}.matches('^[a-z0-9]([-a-z0-9]*[a-z0-9])?$') && size(${value}) <= 15`,
};

/** @returns keywords that state the format for a value of this schema; undefined if there are none */
export function formatKeywords(format: string, { type }: SchemaNode): KeywordForm | undefined {
  const form = Object.hasOwn(KEYWORDS, format) ? KEYWORDS[format] : undefined;
  const isFitting = form?.minimum === undefined ? type === 'string' : type === 'integer';
  return isFitting ? form : undefined;
}

/** @returns an expression that holds for values of the format; undefined if there is none */
export function formatExpression(format: string, value: string, node: SchemaNode): string | undefined {
  const own = node['x-kubernetes-int-or-string'] === true ? MIXED : node.type === 'string' ? EXPRESSIONS : {};
  if (Object.hasOwn(own, format)) return own[format]?.(value);
  const { pattern, maxLength, minimum, maximum } = formatKeywords(format, node) ?? {};
  if (minimum !== undefined) return `${value} >= ${minimum} && ${value} <= ${maximum}`;
  if (pattern === undefined) return undefined;
  const most = maxLength === undefined ? '' : ` && size(${value}) <= ${maxLength}`;
  return `${value}.matches(${JSON.stringify(pattern)})${most}`;
}
