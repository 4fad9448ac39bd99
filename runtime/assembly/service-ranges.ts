/** The ranges of addresses and ports that services get theirs from, as flags name them. */
import { AddressRange } from '../registry/allocation/address-range.ts';
import type { PortRange } from '../registry/allocation/allocator.ts';

const DEFAULT_RANGE = '10.0.0.0/24';
const DEFAULT_PORTS = '30000-32767';
/** Bits of a host's part: a range of fewer than 8 addresses is refused, as in 1.32. */
const FEWEST_BITS = 3;
/** As in 1.32, whose bitmap of a range has a bit for each address. */
const MOST_BITS = 20;
const LAST_PORT = 65_535;

/** @param cidrs of different families, that of services which ask for none first; none: the default. @param wide whether ranges may be of any size. @throws Error that names the flag */
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

/** @param text such as 30000-32767, 30000+2767 for as many ports after the first one, or 30000 for one alone; empty: the default. @throws Error that names the flag */
export function portRange(text: string): PortRange {
  const match = /^(\d+)(?:([-+])(\d+))?$/.exec(text.trim() || DEFAULT_PORTS);
  const first = Number(match?.[1]);
  const other = Number(match?.[3] ?? 0);
  const last = match?.[2] === '-' ? other : first + other;
  if (match === null || first < 1 || last > LAST_PORT || first > last)
    throw new Error(`--service-node-port-range: ${JSON.stringify(text)} is not a range of ports such as 30000-32767`);
  return { first, last };
}
