/** Reads the ranges of addresses and ports of services from flags. */
import { AddressRange } from '../../registry/allocation/address-range.ts';
import type { PortRange } from '../../registry/allocation/allocator.ts';

const DEFAULT_RANGE = '10.0.0.0/24';
const DEFAULT_PORTS = '30000-32767';
/** The fewest bits that a range leaves for hosts: 1.32 refuses ranges of fewer than 8 addresses. */
const FEWEST_BITS = 3;
/** The most bits that a range leaves for hosts, as in 1.32, whose bitmap has one bit for each address. */
const MOST_BITS = 20;
const LAST_PORT = 65_535;

/**
 * @param cidrs of different families; the first is that of services which ask for none; empty: the default.
 * @param wide whether ranges of any size are accepted
 * @throws Error that names the flag
 */
export function addressRanges([first = DEFAULT_RANGE, ...others]: readonly string[], wide = false): AddressRange[] {
  const ranges = [first, ...others].map((cidr) => addressRange(cidr, wide));
  if (new Set(ranges.map(({ family }) => family)).size < ranges.length)
    throw new Error('--service-cluster-ip-range: takes one range, or two of which one is of IPv4 and the other one of IPv6');
  return ranges;
}

function addressRange(cidr: string, wide: boolean): AddressRange {
  const range = new AddressRange(cidr, wide);
  const width = range.family === 'IPv4' ? 32 : 128;
  const bits = width - Number(cidr.split('/')[1]);
  if (bits < FEWEST_BITS) throw new Error(`--service-cluster-ip-range: ${cidr} has fewer than the 8 addresses that are needed at least`);
  if (bits > MOST_BITS && !wide)
    throw new Error(
      `--service-cluster-ip-range: ${cidr} is too large: the prefix of a range of ${range.family} has at least ${width - MOST_BITS} bits`,
    );
  return range;
}

/**
 * @param text such as 30000-32767, 30000+2767 for the first port and 2767 after it, or 30000 for one port; empty: the default
 * @throws Error that names the flag
 */
export function portRange(text: string): PortRange {
  const match = /^(\d+)(?:([-+])(\d+))?$/.exec(text.trim() || DEFAULT_PORTS);
  const first = Number(match?.[1]);
  const other = Number(match?.[3] ?? 0);
  const last = match?.[2] === '-' ? other : first + other;
  if (match === null || first < 1 || last > LAST_PORT || first > last)
    throw new Error(`--service-node-port-range: ${JSON.stringify(text)} is not a range of ports such as 30000-32767`);
  return { first, last };
}
