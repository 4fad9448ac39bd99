/**
 * The formats that schemas name. A checker returns the errors of a value, one sentence each, in the words of 1.32, and no new list for a
 * valid value. The functions in comments are those of 1.32.
 */
import { canonicalCidr, canonicalIp, ipAddress, ipRange, ipv4, ipv6, notAnAddress, ordinaryIp } from './addresses.ts';
import { apiVersion } from './api-versions.ts';
import { cron } from './cron.ts';
import { domainPrefixedPath, type PartFinding, qualifiedNameOfAnyCase, slashedSubdomains } from './joined-names.ts';
import {
  celIdentifier,
  cIdentifier,
  conditionReason,
  configMapKey,
  environmentName,
  httpHeaderName,
  strictEnvironmentName,
} from './keys.ts';
import { annotationKey, labelValue, qualifiedName } from './labels.ts';
import { dns1035Label, dnsLabel, dnsSubdomain, dnsSubdomainOfAnyCase, dnsSubdomainOrAll, hostPattern, pathSegment } from './names.ts';
import { absolutePath, nonResourcePath, pathWithoutBacksteps, relativePath, subdomainPath, unreservedPath } from './paths.ts';
import { atMostAll, intOrPercent, percent } from './percents.ts';
import { hostPortPairs, portName, portNumber, portNumberOrName } from './ports.ts';
import { amountNotNegative, duration, durationNotNegative, positiveAmount, positiveDuration, quantity } from './quantities.ts';
import { semanticVersion } from './semantic-versions.ts';
import { timeZone } from './time-zones.ts';
import { plainHttpsUrl } from './urls.ts';
import { uuid } from './uuids.ts';
import { windowsUserName } from './windows-users.ts';

/** @returns the errors of a value; empty if it is valid */
export type Format<Value> = (value: Value) => readonly string[];

const texts = {
  /** lower-case letters, digits and dashes, at most 63 (RFC 1123; IsDNS1123Label) */
  dnsLabel,
  /** DNS labels joined by dots, at most 253 bytes (RFC 1123; IsDNS1123Subdomain) */
  dnsSubdomain,
  /** a DNS subdomain that may have capitals (ValidateCSIDriverName) */
  dnsSubdomainOfAnyCase,
  /** a DNS subdomain, or `*` alone (names of runtime classes in a pod security policy) */
  dnsSubdomainOrAll,
  /** like `dnsLabel`, but beginning with a letter (RFC 1035; IsDNS1035Label) */
  dns1035Label,
  /** a DNS subdomain, which `*.` may precede (IsWildcardDNS1123Subdomain if it has a `*`) */
  hostPattern,
  /** a host that is no address (ValidateIngress) */
  notAnAddress,
  /** any text except `.`, `..`, and texts with `/` or `%` (IsValidPathSegmentName) */
  pathSegment,
  /** letters, digits, `-`, `_`, `.`, at most 63, which a DNS subdomain and a slash may precede (IsQualifiedName) */
  qualifiedName,
  /** a qualified name (ValidateLabelName) */
  labelKey: qualifiedName,
  /** empty, or letters, digits, `-`, `_`, `.`, at most 63 (IsValidLabelValue) */
  labelValue,
  /** a qualified name whose domain may have capitals (ValidateAnnotations) */
  annotationKey,
  /** letters, digits, `-`, `_`, `.`, at most 253 bytes, not beginning with two dots (IsConfigMapKey) */
  configMapKey,
  /** printable ASCII without `=` (IsRelaxedEnvVarName) */
  environmentName,
  /** letters, digits, `-`, `_`, `.`, not beginning with a digit or two dots (IsEnvVarName) */
  strictEnvironmentName,
  /** letters, digits and dashes (IsHTTPHeaderName) */
  httpHeaderName,
  /** a C identifier that CEL does not reserve (validateVariable) */
  celIdentifier,
  /** a letter or `_`, then letters, digits and `_` (IsCIdentifier) */
  cIdentifier,
  /** a letter, then letters, digits, `_`, `,`, `:`, not ending with the last two (isValidConditionReason) */
  conditionReason,
  /** lower-case letters, digits and single dashes, with at least one letter, at most 15 (RFC 6335; IsValidPortName) */
  portName,
  /** pairs of a host and a port, separated by commas (validateQuobyteVolumeSource) */
  hostPortPairs,
  /** an address of either family, which may have leading zeros in IPv4 numbers (IsValidIP) */
  ip: ipAddress,
  /** an IPv4 address, which may be written as IPv4-mapped IPv6 address (IsValidIPv4Address) */
  ipv4,
  /** an IPv6 address (IsValidIPv6Address) */
  ipv6,
  /** an address that is neither unspecified nor loopback nor link-local (ValidateNonSpecialIP) */
  ordinaryIp,
  /** an address in its canonical spelling (RFC 5952; ValidateIPAddress) */
  canonicalIp,
  /** an address with a prefix length (IsValidCIDR) */
  cidr: ipRange,
  /** a range in its canonical spelling, without bits after the prefix (ValidateServiceCIDR) */
  canonicalCidr,
  /** decimal numbers with units, such as `1h30m` (time.ParseDuration) */
  duration,
  /** a duration of zero or more (validateWebhookConfiguration's times to live) */
  durationNotNegative,
  /** a duration of more than zero (validateKMSTimeout) */
  positiveDuration,
  /** a decimal number with a suffix, such as `2Gi` (resource.ParseQuantity) */
  quantity,
  /** a decoded quantity of at least zero (ValidateNonnegativeQuantity) */
  amountNotNegative,
  /** a decoded quantity of more than zero (ValidatePositiveQuantityValue) */
  positiveAmount,
  /** digits followed by `%` (IsValidPercent) */
  percent,
  /** beginning with a slash (path.IsAbs) */
  absolutePath,
  /** a path without the segment `..` (validatePathNoBacksteps) */
  pathWithoutBacksteps,
  /** a path that does not begin with a slash, without the segment `..` (validateLocalDescendingPath) */
  relativePath,
  /** like `relativePath`, but not beginning with two dots (validateLocalNonReservedPath) */
  unreservedPath,
  /** a slash followed by DNS subdomains as segments (ValidateWebhookService) */
  subdomainPath,
  /** a path without blanks and double slashes, with a wildcard at most at its end (ValidateNonResourceURLPath) */
  nonResourcePath,
  /** five fields, or a shorthand such as `@hourly` (cron.ParseStandard) */
  cron,
  /** a name of the IANA time zone database, not `Local` (validateTimeZone) */
  timeZone,
  /** an `https` URL without user, query and fragment (validateIssuerURL) */
  plainHttpsUrl,
  /** three numbers, which a pre-release and a build may follow (Semantic Versioning 2.0.0; semver.Parse) */
  semanticVersion,
  /** a DNS label that begins with a letter, which a group and a slash may precede (isValidAPIVersion) */
  apiVersion,
  /** 32 lower-case hexadecimal digits with four dashes (RFC 9562; validate.UUID of 1.34) */
  uuid,
  /** a user, which a domain and a backslash may precede (validateWindowsSecurityContextOptions) */
  windowsUserName,
} satisfies Readonly<Record<string, Format<string>>>;

export type FormatName = keyof typeof texts;
export const formats: Readonly<Record<FormatName, Format<string>>> = texts;

const numbers = {
  /** 1 to 65535 (IsValidPortNum) */
  portNumber,
} satisfies Readonly<Record<string, Format<number>>>;

export type NumberFormatName = keyof typeof numbers;
export const numberFormats: Readonly<Record<NumberFormatName, Format<number>>> = numbers;

const numbersOrTexts = {
  /** a port by number or name (ValidatePortNumOrName) */
  portNumberOrName,
} satisfies Readonly<Record<string, Format<number | string>>>;

export type NumberOrTextFormatName = keyof typeof numbersOrTexts;
export const numberOrTextFormats: Readonly<Record<NumberOrTextFormatName, Format<number | string>>> = numbersOrTexts;

const joined = {
  /** a DNS subdomain, a slash and a path (IsDomainPrefixedPath) */
  domainPrefixedPath,
  /** DNS subdomains joined by slashes (validatePoolName) */
  slashedSubdomains,
  /** a number of at least zero, or a percentage (ValidatePositiveIntOrPercent) */
  intOrPercent,
  /** a number, or a percentage of at most 100 (IsNotMoreThan100Percent) */
  atMostAll,
  /** a qualified name in lower case (validateProvisioner) */
  qualifiedNameOfAnyCase,
} satisfies Readonly<Record<string, (value: never) => readonly PartFinding[]>>;

/** Formats of texts with several parts: an error shows the part that is wrong instead of the whole value. */
export type JoinedFormatName = keyof typeof joined;
export const joinedFormats: typeof joined = joined;
