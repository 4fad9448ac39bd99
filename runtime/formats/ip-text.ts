/** Parses addresses and ranges strictly: leading zeros are refused, and errors name the place as in 1.32. */
import { goQuote } from '../contract/go-quote.ts';
import { int64Of } from '../schema/scalar/raw-number.ts';

/** 4 or 16 bytes. */
export interface ParsedAddress {
  readonly bytes: readonly number[];
  /** zone of an IPv6 address, such as `eth0`; empty if there is none */
  readonly zone: string;
}

export interface ParsedRange {
  readonly address: ParsedAddress;
  readonly bits: number;
}

/** An error, with the rest of the text from its place on. */
class Fault {
  readonly message: string;
  constructor(message: string, rest = '') {
    this.message = rest === '' ? message : `${message} (at ${goQuote(rest)})`;
  }
}

/** @returns a sentence if the text is no address */
export function parseAddress(text: string): ParsedAddress | string {
  const parsed = addressOf(text);
  return parsed instanceof Fault ? `ParseAddr(${goQuote(text)}): ${parsed.message}` : parsed;
}

function addressOf(text: string): ParsedAddress | Fault {
  const mark = /[.:%]/.exec(text)?.[0];
  if (mark === undefined) return new Fault('unable to parse IP');
  if (mark === '%') return new Fault('missing IPv6 address');
  if (mark === ':') return parseIPv6(text);
  const bytes = parseIPv4(text);
  return bytes instanceof Fault ? bytes : { bytes, zone: '' };
}

function parseIPv4(text: string): number[] | Fault {
  const bytes: number[] = [];
  let digits = '';
  for (let i = 0; i < text.length; i++) {
    const character = text[i] as string;
    if (character >= '0' && character <= '9') {
      if (digits === '0') return new Fault('IPv4 field has octet with leading zero');
      digits += character;
      if (Number(digits) > 255) return new Fault('IPv4 field has value >255');
    } else if (character === '.') {
      if (digits === '' || i === text.length - 1) return new Fault('IPv4 field must have at least one digit', text.slice(i));
      if (bytes.length === 3) return new Fault('IPv4 address too long');
      bytes.push(Number(digits));
      digits = '';
    } else return new Fault('unexpected character', text.slice(i));
  }
  return bytes.length < 3 ? new Fault('IPv4 address too short') : [...bytes, Number(digits)];
}

function parseIPv6(text: string): ParsedAddress | Fault {
  const percent = text.indexOf('%');
  const zone = percent === -1 ? '' : text.slice(percent + 1);
  if (percent !== -1 && zone === '') return new Fault('zone must be a non-empty string');
  const bytes = parseGroups(percent === -1 ? text : text.slice(0, percent));
  return bytes instanceof Fault ? bytes : { bytes, zone };
}

const LENGTH = 16;

function parseGroups(text: string): number[] | Fault {
  const bytes: number[] = [];
  let gap = text.startsWith('::') ? 0 : -1;
  let rest = gap === 0 ? text.slice(2) : text;
  while (rest !== '' && bytes.length < LENGTH) {
    const group = /^[0-9a-fA-F]*/.exec(rest)?.[0] as string;
    if (group.length > 4) return new Fault('each group must have 4 or less digits', rest);
    if (group === '') return new Fault('each colon-separated field must have at least one digit', rest);
    if (rest[group.length] === '.') {
      const fault = appendIPv4(bytes, rest, gap);
      if (fault !== undefined) return fault;
      rest = '';
      break;
    }
    const value = Number.parseInt(group, 16);
    bytes.push(value >> 8, value & 0xff);
    rest = rest.slice(group.length);
    if (rest === '') break;
    if (rest[0] !== ':') return new Fault('unexpected character, want colon', rest);
    if (rest.length === 1) return new Fault('colon must be followed by more characters', rest);
    rest = rest.slice(1);
    if (rest[0] !== ':') continue;
    if (gap >= 0) return new Fault('multiple :: in address', rest);
    gap = bytes.length;
    rest = rest.slice(1);
  }
  return rest === '' ? fillGap(bytes, gap) : new Fault('trailing garbage after address', rest);
}

/** The last two groups may have the form of an IPv4 address. */
function appendIPv4(bytes: number[], rest: string, gap: number): Fault | undefined {
  if (gap < 0 && bytes.length !== LENGTH - 4)
    return new Fault('embedded IPv4 address must replace the final 2 fields of the address', rest);
  if (bytes.length + 4 > LENGTH) return new Fault('too many hex fields to fit an embedded IPv4 at the end of the address', rest);
  const four = parseIPv4(rest);
  if (four instanceof Fault) return four;
  bytes.push(...four);
  return undefined;
}

function fillGap(bytes: number[], gap: number): number[] | Fault {
  if (bytes.length === LENGTH) return gap < 0 ? bytes : new Fault('the :: must expand to at least one field of zeros');
  if (gap < 0) return new Fault('address string too short');
  return [...bytes.slice(0, gap), ...new Array<number>(LENGTH - bytes.length).fill(0), ...bytes.slice(gap)];
}

/** @returns a sentence if the text is no range */
export function parseRange(text: string): ParsedRange | string {
  const fault = (message: string): string => `netip.ParsePrefix(${goQuote(text)}): ${message}`;
  const slash = text.lastIndexOf('/');
  if (slash === -1) return fault("no '/'");
  const address = parseAddress(text.slice(0, slash));
  if (typeof address === 'string') return fault(address);
  if (address.zone !== '') return fault('IPv6 zones cannot be present in a prefix');
  const bits = text.slice(slash + 1);
  if (!/^(0|[1-9]\d*)$/.test(bits) || int64Of(bits) === undefined) return fault(`bad bits after slash: ${goQuote(bits)}`);
  if (Number(bits) > address.bytes.length * 8) return fault('prefix length out of range');
  return { address, bits: Number(bits) };
}

/** Removes leading zeros, which most fields accept. */
const withoutZeros = (text: string): string => text.replace(/(?<![0-9a-fA-F])0+(?=[0-9a-fA-F])/g, '');

/**
 * Like `parseAddress`, but accepts leading zeros, and refuses zones.
 * @returns undefined if the text is no address
 */
export function parseLenientAddress(text: string): ParsedAddress | undefined {
  const parsed = addressOf(withoutZeros(text));
  return parsed instanceof Fault || text.includes('%') ? undefined : parsed;
}

/**
 * Like `parseRange`, but accepts leading zeros.
 * @returns undefined if the text is no range
 */
export function parseLenientRange(text: string): ParsedRange | undefined {
  const parsed = parseRange(withoutZeros(text));
  return typeof parsed === 'string' ? undefined : parsed;
}

/** Clears the bits after the first `bits`. */
export function masked(bytes: readonly number[], bits: number): number[] {
  return bytes.map((byte, index) => byte & (0xff << Math.max(0, 8 - Math.max(0, bits - index * 8))) & 0xff);
}

/** Formats an address by RFC 5952. */
export function addressText({ bytes, zone }: ParsedAddress): string {
  if (bytes.length === 4) return bytes.join('.');
  const suffix = zone === '' ? '' : `%${zone}`;
  if (bytes.slice(0, 10).every((byte) => byte === 0) && bytes[10] === 0xff && bytes[11] === 0xff)
    return `::ffff:${bytes.slice(12).join('.')}${suffix}`;
  const groups = Array.from({ length: 8 }, (_, index) => ((bytes[index * 2] as number) << 8) | (bytes[index * 2 + 1] as number));
  const [start, length] = longestZeros(groups);
  const text = (part: readonly number[]): string => part.map((group) => group.toString(16)).join(':');
  if (length < 2) return text(groups) + suffix;
  return `${text(groups.slice(0, start))}::${text(groups.slice(start + length))}${suffix}`;
}

/** The start and length of the longest run of zero groups; of several, the first. */
function longestZeros(groups: readonly number[]): readonly [number, number] {
  let best: readonly [number, number] = [0, 0];
  for (let start = 0; start < groups.length; start++) {
    let end = start;
    while (groups[end] === 0) end++;
    if (end - start > best[1]) best = [start, end - start];
    start = Math.max(start, end - 1);
  }
  return best;
}
