import { isIP } from 'node:net';
import type { IpFamily } from '../../contract/allocation.ts';

/** So many addresses of a range of IPv6 are used, however large it is, as in 1.32: they are counted with the network's own. */
const MOST_OF_IPV6 = 65_536n;

/** An index is a whole number that a random one can be, of 48 bits. */
const MOST_INDEXES = 1n << 47n;

/** The usable addresses of a CIDR block: all but the network's own and, for IPv4, the broadcast address. */
export class AddressRange {
  readonly #base: bigint;
  readonly #six: boolean;
  /** the number of usable addresses; in a wide range only those that have an index, which are 2^47 at most */
  readonly size: number;
  /** the block, with the network's own address */
  readonly cidr: string;
  readonly #usable: bigint;
  /** of the block, with those that are not used */
  readonly #addresses: number;

  /**
   * @param wide whether all of a range of IPv6 is used
   * @throws Error for text that is no CIDR block
   */
  constructor(cidr: string, wide = false) {
    const [address = '', bits = ''] = cidr.split('/');
    const family = isIP(address);
    const width = family === 6 ? 128 : 32;
    const prefix = Number(bits);
    if (family === 0 || !/^\d{1,3}$/.test(bits) || prefix > width)
      throw new Error(`${JSON.stringify(cidr)} is not a CIDR block such as 10.0.0.0/24`);
    this.#six = family === 6;
    const hostBits = BigInt(width - prefix);
    this.#base = (parseAddress(address) >> hostBits) << hostBits;
    this.cidr = `${formatAddress(this.#base, this.#six)}/${prefix}`;
    const total = 1n << hostBits;
    this.#addresses = Number(total);
    const usable = this.#six ? (total < MOST_OF_IPV6 || wide ? total : MOST_OF_IPV6) - 1n : total - 2n;
    this.#usable = usable > 0n ? usable : 0n;
    this.size = Number(this.#usable < MOST_INDEXES ? this.#usable : MOST_INDEXES);
  }

  get family(): IpFamily {
    return this.#six ? 'IPv6' : 'IPv4';
  }

  /** Addresses at the beginning that are given out last (KEP 3070): a sixteenth of the block, between 16 and 256. */
  get reserved(): number {
    if (this.#addresses <= 16) return 0;
    return Math.min(256, Math.max(16, Math.floor(this.#addresses / 16)));
  }

  /** @param index 0 to size - 1 */
  at(index: number): string {
    return formatAddress(this.#base + 1n + BigInt(index), this.#six);
  }

  /** @param text an address in any of its spellings */
  contains(text: string): boolean {
    const address = canonicalAddress(text);
    const family = isIP(address);
    if (family === 0 || (family === 6) !== this.#six) return false;
    const offset = parseAddress(address) - this.#base - 1n;
    return offset >= 0n && offset < this.#usable;
  }
}

/** The one spelling of an address that has several; text that is none stays as it is. */
export function canonicalAddress(text: string): string {
  const address = FOUR_NUMBERS.test(text) ? text.replace(LEADING_ZEROS, '') : text;
  if (isIP(address) !== 6) return isIP(address) === 4 ? address : text;
  const value = parseAddress(address);
  return formatAddress(value, value >> 32n !== FOUR_IN_SIX);
}

/** 1.32 lets leading zeros through, and reads what follows them as decimal. */
const FOUR_NUMBERS = /^\d+(\.\d+){3}$/;
const LEADING_ZEROS = /\b0+(?=\d)/g;
/** the upper 96 bits of an IPv4 address that is written as an IPv6 one */
const FOUR_IN_SIX = 0xffffn;

function parseAddress(address: string): bigint {
  if (isIP(address) === 4) return address.split('.').reduce((sum, part) => (sum << 8n) | BigInt(Number(part)), 0n);
  const [head = '', tail] = address.split('::');
  const groups = (text: string): string[] => (text === '' ? [] : text.split(':').flatMap(group4));
  const before = groups(head);
  const after = tail === undefined ? [] : groups(tail);
  const middle = tail === undefined ? [] : new Array<string>(8 - before.length - after.length).fill('0');
  return [...before, ...middle, ...after].reduce((sum, group) => (sum << 16n) | BigInt(`0x${group}`), 0n);
}

/** A group of an IPv6 address; an IPv4 tail counts as two. */
function group4(group: string): string[] {
  if (!group.includes('.')) return [group];
  const value = parseAddress(group);
  return [(value >> 16n).toString(16), (value & 0xffffn).toString(16)];
}

function formatAddress(value: bigint, six: boolean): string {
  if (!six) return [24n, 16n, 8n, 0n].map((shift) => String((value >> shift) & 0xffn)).join('.');
  const groups = Array.from({ length: 8 }, (_, i) => ((value >> BigInt(112 - 16 * i)) & 0xffffn).toString(16));
  return compressed(groups);
}

/** RFC 5952: the longest run of zero groups, of two or more, becomes "::". */
function compressed(groups: readonly string[]): string {
  let best = { start: -1, length: 1 };
  for (let i = 0; i < groups.length; i++) {
    let length = 0;
    while (groups[i + length] === '0') length++;
    if (length > best.length) best = { start: i, length };
  }
  if (best.start < 0) return groups.join(':');
  return `${groups.slice(0, best.start).join(':')}::${groups.slice(best.start + best.length).join(':')}`;
}
