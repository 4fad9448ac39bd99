/** Determines the addresses at which the node is reached: those that a flag gives, or one of the interface that has the default route. */
import { BlockList, isIP } from 'node:net';
import { networkInterfaces } from 'node:os';
import type { NodeAddress } from '../../../generated/client/core/v1/types.ts';
import { parseAddress } from '../../formats/ip-text.ts';
import type { SystemFiles } from './system-files.ts';

const LOOPBACK = '127.0.0.1';
/** Addresses that a flag may give so that the agent finds one of their family. */
const ANY: Readonly<Record<string, 'IPv4' | 'IPv6'>> = { '0.0.0.0': 'IPv4', '::': 'IPv6' };
/** Addresses that no node can have: multicast, link-local and broadcast ones. */
const UNREACHABLE = new BlockList();
for (const [network, bits, family] of [
  ['224.0.0.0', 4, 'ipv4'],
  ['169.254.0.0', 16, 'ipv4'],
  ['255.255.255.255', 32, 'ipv4'],
  ['ff00::', 8, 'ipv6'],
  ['fe80::', 10, 'ipv6'],
] as const)
  UNREACHABLE.addSubnet(network, bits, family);

type Interfaces = ReturnType<typeof networkInterfaces>;

/**
 * Checks the addresses that `--node-ip` gives.
 * @returns the same addresses; `0.0.0.0` and `::` still stand for one that `nodeAddresses` finds
 * @throws Error that names the flag if an address cannot be one of a node, or if there are several of one family
 */
export function givenAddresses(texts: readonly string[]): string[] {
  const problem = (text: string, why: string): Error => new Error(`--node-ip: ${JSON.stringify(text)} ${why}`);
  for (const text of texts) if (isIP(text) === 0) throw problem(text, 'is no IP address');
  const [first, second, ...rest] = texts;
  if (rest.length > 0) throw new Error('--node-ip: one address of each family is taken at most');
  if (second !== undefined && isIP(first as string) === isIP(second)) throw problem(second, 'is of the same family as the other one');
  for (const text of texts) {
    const parsed = parseAddress(text);
    if (typeof parsed === 'string') throw problem(text, parsed);
    if (UNREACHABLE.check(text, isIP(text) === 6 ? 'ipv6' : 'ipv4')) throw problem(text, 'is an address at which nobody reaches a node');
  }
  return [...texts];
}

/**
 * Lists the addresses of the node's status: the IP addresses, then the host name, in the order of 1.32.
 * @param given the result of `givenAddresses`; without any, one address is found
 */
export function nodeAddresses(
  given: readonly string[],
  hostname: string,
  files: SystemFiles,
  interfaces = networkInterfaces(),
): NodeAddress[] {
  const addresses = (given.length > 0 ? given : ['']).map((text) =>
    text === '' || ANY[text] !== undefined ? foundAddress(files, interfaces, ANY[text]) : text,
  );
  return [...addresses.map((address) => ({ type: 'InternalIP', address })), { type: 'Hostname', address: hostname }];
}

/**
 * Finds an address of the machine: preferably one of the interface with the default route, and of IPv4; the loopback address if the machine has no other.
 * @param wanted the family that the address must have; absent if either will do
 */
function foundAddress(files: SystemFiles, interfaces: Interfaces, wanted?: 'IPv4' | 'IPv6'): string {
  const outside = Object.entries(interfaces).flatMap(([name, all = []]) =>
    all
      .filter(({ internal, address, family }) => !internal && !address.startsWith('fe80:') && (wanted === undefined || family === wanted))
      .map((each) => ({ name, ...each })),
  );
  const way = defaultInterface(files);
  const sorted = outside.sort((a, b) => rank(a, way) - rank(b, way));
  return sorted[0]?.address ?? (wanted === 'IPv6' ? '::1' : LOOPBACK);
}

const rank = ({ name, family }: { name: string; family: string }, way: string | undefined): number =>
  (name === way ? 0 : 2) + (family === 'IPv4' ? 0 : 1);

/** The name of the interface of the default route, which is the route of IPv4 whose destination is every address; undefined if there is none. */
function defaultInterface(files: SystemFiles): string | undefined {
  const [, ...rows] = (files.text('proc/net/route') ?? '').split('\n');
  const found = rows
    .map((row) => row.split('\t'))
    .find(([, destination, , , , , , mask]) => destination === '00000000' && mask === '00000000');
  return found?.[0];
}
