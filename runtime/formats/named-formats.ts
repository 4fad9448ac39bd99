/**
 * Formats that schemas name. A checker says what is wrong with a value, one sentence each, in the words of 1.32; it makes no list where
 * nothing is wrong. Functions that docstrings name are those of 1.32.
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
import { dns1035Label, dnsLabel, dnsSubdomain, dnsSubdomainOfAnyCase, hostPattern, pathSegment } from './names.ts';
import { absolutePath, nonResourcePath, pathWithoutBacksteps, relativePath, subdomainPath, unreservedPath } from './paths.ts';
import { atMostAll, intOrPercent, percent } from './percents.ts';
import { hostPortPairs, portName, portNumber, portNumberOrName } from './ports.ts';
import { amountNotNegative, duration, durationNotNegative, positiveAmount, positiveDuration, quantity } from './quantities.ts';
import { semanticVersion } from './semantic-versions.ts';
import { timeZone } from './time-zones.ts';
import { plainHttpsUrl } from './urls.ts';
import { uuid } from './uuids.ts';
import { windowsUserName } from './windows-users.ts';

/** @returns what is wrong with a value; empty: nothing */
export type Format<Value> = (value: Value) => readonly string[];

const texts = {
  /** small letters, digits and dashes, at most 63 (RFC 1123; IsDNS1123Label) */
  dnsLabel,
  /** DNS labels joined by dots, at most 253 bytes (RFC 1123; IsDNS1123Subdomain) */
  dnsSubdomain,
  /** a DNS subdomain, capitals allowed (ValidateCSIDriverName) */
  dnsSubdomainOfAnyCase,
  /** as `dnsLabel`, beginning with a letter (RFC 1035; IsDNS1035Label) */
  dns1035Label,
  /** a DNS subdomain, or one after `*.` (IsWildcardDNS1123Subdomain where there is a `*`) */
  hostPattern,
  /** a host that is not written as an address (ValidateIngress) */
  notAnAddress,
  /** anything but `.`, `..`, and texts with `/` or `%` (IsValidPathSegmentName) */
  pathSegment,
  /** letters, digits, `-`, `_`, `.`, at most 63, with or without a DNS subdomain and a slash in front (IsQualifiedName) */
  qualifiedName,
  /** a qualified name (ValidateLabelName) */
  labelKey: qualifiedName,
  /** empty, or letters, digits, `-`, `_`, `.`, at most 63 (IsValidLabelValue) */
  labelValue,
  /** a qualified name, whose domain may have capitals (ValidateAnnotations) */
  annotationKey,
  /** letters, digits, `-`, `_`, `.`, at most 253 bytes, not beginning with two dots (IsConfigMapKey) */
  configMapKey,
  /** printable ASCII without `=` (IsRelaxedEnvVarName) */
  environmentName,
  /** letters, digits, `-`, `_`, `.`, not beginning with a digit or two dots (IsEnvVarName) */
  strictEnvironmentName,
  /** letters, digits and dashes (IsHTTPHeaderName) */
  httpHeaderName,
  /** a C identifier that the expression language does not reserve (validateVariable) */
  celIdentifier,
  /** a letter or `_`, then letters, digits and `_` (IsCIdentifier) */
  cIdentifier,
  /** a letter, then letters, digits, `_`, `,`, `:`, not ending with the last two (isValidConditionReason) */
  conditionReason,
  /** small letters, digits and single dashes with a letter among them, at most 15 (RFC 6335; IsValidPortName) */
  portName,
  /** pairs of a host and a port with commas between them (validateQuobyteVolumeSource) */
  hostPortPairs,
  /** an address of either family, leading zeros in IPv4 numbers included (IsValidIP) */
  ip: ipAddress,
  /** an IPv4 address, also one that is written as an IPv6 one (IsValidIPv4Address) */
  ipv4,
  /** an IPv6 address (IsValidIPv6Address) */
  ipv6,
  /** an address that is not unspecified, of the loopback, or link-local (ValidateNonSpecialIP) */
  ordinaryIp,
  /** an address in its one spelling (RFC 5952; ValidateIPAddress) */
  canonicalIp,
  /** an address with the length of a prefix (IsValidCIDR) */
  cidr: ipRange,
  /** a range in its one spelling without bits behind the prefix (ValidateServiceCIDR) */
  canonicalCidr,
  /** decimal numbers with units, such as `1h30m` (time.ParseDuration) */
  duration,
  /** a duration of zero or more (validateWebhookConfiguration's times to live) */
  durationNotNegative,
  /** a duration of more than zero (validateKMSTimeout) */
  positiveDuration,
  /** a decimal number with a suffix, such as `2Gi` (resource.ParseQuantity) */
  quantity,
  /** of a decoded quantity: zero or more (ValidateNonnegativeQuantity) */
  amountNotNegative,
  /** of a decoded quantity: more than zero (ValidatePositiveQuantityValue) */
  positiveAmount,
  /** digits and `%` (IsValidPercent) */
  percent,
  /** beginning with a slash (path.IsAbs) */
  absolutePath,
  /** no `..` among the segments (validatePathNoBacksteps) */
  pathWithoutBacksteps,
  /** not beginning with a slash, without `..` (validateLocalDescendingPath) */
  relativePath,
  /** as `relativePath`, not beginning with two dots either (validateLocalNonReservedPath) */
  unreservedPath,
  /** segments that are DNS subdomains behind a slash (ValidateWebhookService) */
  subdomainPath,
  /** a path without blanks and double slashes, with a wildcard at its end at most (ValidateNonResourceURLPath) */
  nonResourcePath,
  /** five members, or a shorthand such as `@hourly` (cron.ParseStandard) */
  cron,
  /** a name of the IANA database, not `Local` (validateTimeZone) */
  timeZone,
  /** `https` without user, query and fragment (validateIssuerURL) */
  plainHttpsUrl,
  /** three numbers, with pre-release and build or without (Semantic Versioning 2.0.0; semver.Parse) */
  semanticVersion,
  /** a DNS label that begins with a letter, with or without a group and a slash in front (isValidAPIVersion) */
  apiVersion,
  /** 32 hexadecimal digits in small letters and four dashes (RFC 9562; validate.UUID of 1.34) */
  uuid,
  /** a user, or a domain, a backslash and a user (validateWindowsSecurityContextOptions) */
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
  /** a number that is not negative, or a percentage (ValidatePositiveIntOrPercent) */
  intOrPercent,
  /** no percentage above 100 (IsNotMoreThan100Percent) */
  atMostAll,
  /** a qualified name in small letters (validateProvisioner) */
  qualifiedNameOfAnyCase,
} satisfies Readonly<Record<string, (value: never) => readonly PartFinding[]>>;

/** Formats of texts of several parts: a finding shows the part that is wrong instead of the whole value. */
export type JoinedFormatName = keyof typeof joined;
export const joinedFormats: typeof joined = joined;
