/** IP addresses and ranges as 1.32 reads them: leading zeros in IPv4 numbers are accepted, zones are not. */
import type { IpFamily } from '../contract/allocation.ts';
import { addressText, masked, parseAddress as parseExactAddress, parseLenientAddress, parseRange } from './ip-text.ts';
import { NOTHING } from './messages.ts';

const INVALID_ADDRESS = ['must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)'];
const INVALID_RANGE = ['must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)'];

interface Address {
  readonly family: IpFamily;
  /** 4 numbers of 8 bits, or 8 of 16 bits */
  readonly parts: readonly number[];
}

/** An IPv4-mapped IPv6 address counts as IPv4. */
function parseAddress(text: string): Address | undefined {
  const bytes = parseLenientAddress(text)?.bytes;
  if (bytes === undefined || bytes.length === 4) return bytes && { family: 'IPv4', parts: bytes };
  const isMapped = bytes.slice(0, 10).every((byte) => byte === 0) && bytes[10] === 0xff && bytes[11] === 0xff;
  if (isMapped) return { family: 'IPv4', parts: bytes.slice(12) };
  return { family: 'IPv6', parts: Array.from({ length: 8 }, (_, i) => ((bytes[2 * i] as number) << 8) | (bytes[2 * i + 1] as number)) };
}

/** @returns undefined if the text is no address */
export function familyOf(text: string): IpFamily | undefined {
  return parseAddress(text)?.family;
}

/** Accepts an address of either family. */
export function ipAddress(value: string): readonly string[] {
  return parseAddress(value) === undefined ? INVALID_ADDRESS : NOTHING;
}

export function ipv4(value: string): readonly string[] {
  return familyOf(value) === 'IPv4' ? NOTHING : ['must be a valid IPv4 address'];
}

export function ipv6(value: string): readonly string[] {
  return familyOf(value) === 'IPv6' ? NOTHING : ['must be a valid IPv6 address'];
}

/** Accepts a host name that is no address. */
export function notAnAddress(value: string): readonly string[] {
  return familyOf(value) === undefined ? NOTHING : ['must be a DNS name, not an IP address'];
}

/** @returns undefined if the text is no range */
export function familyOfRange(text: string): IpFamily | undefined {
  const [, address = '', bits = ''] = /^(.+)\/(\d+)$/.exec(text) ?? [];
  const family = address.includes(':') && parseAddress(address) !== undefined ? 'IPv6' : parseAddress(address)?.family;
  return family !== undefined && Number(bits) <= (family === 'IPv6' ? 128 : 32) ? family : undefined;
}

/** Accepts an address with a prefix length; bits after the prefix may be set. */
export function ipRange(value: string): readonly string[] {
  return familyOfRange(value) === undefined ? INVALID_RANGE : NOTHING;
}

/** Accepts an address that a service or an endpoint can have. */
export function ordinaryIp(value: string): readonly string[] {
  const address = parseAddress(value);
  if (address === undefined) return ['must be a valid IP address'];
  const use = specialUse(address, value);
  return use === undefined ? NOTHING : [use];
}

function specialUse({ family, parts }: Address, text: string): string | undefined {
  const [first = 0, second = 0, third = 0] = parts;
  const four = family === 'IPv4';
  if (parts.every((part) => part === 0)) return `may not be unspecified (${text})`;
  if (four ? first === 127 : parts.slice(0, -1).every((part) => part === 0) && parts.at(-1) === 1)
    return 'may not be in the loopback range (127.0.0.0/8, ::1/128)';
  if (four ? first === 169 && second === 254 : (first & 0xffc0) === 0xfe80)
    return 'may not be in the link-local range (169.254.0.0/16, fe80::/10)';
  if (four ? first === 224 && second === 0 && third === 0 : (first & 0xff0f) === 0xff02)
    return 'may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)';
  return undefined;
}

/** Accepts an address in its canonical spelling (RFC 5952). */
export function canonicalIp(value: string): readonly string[] {
  const parsed = parseExactAddress(value);
  if (typeof parsed === 'string') return [parsed];
  return addressText(parsed) === value ? NOTHING : ['must be a canonical format IP address'];
}

/** Accepts a range in its canonical spelling, without bits after the prefix. */
export function canonicalCidr(value: string): readonly string[] {
  const range = parseRange(value);
  if (typeof range === 'string') return [range];
  const { address, bits } = range;
  const network = masked(address.bytes, bits);
  const messages = network.every((byte, index) => byte === address.bytes[index])
    ? []
    : ["wrong CIDR format, IP doesn't match network IP address"];
  if (`${addressText(address)}/${bits}` !== value) messages.push('CIDR not in RFC 5952 canonical format');
  return messages.length === 0 ? NOTHING : messages;
}
