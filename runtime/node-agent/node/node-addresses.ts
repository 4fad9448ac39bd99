/** Where the node is reached: by the addresses that a flag gives, or by that of the interface with the way to all others. */
import { BlockList, isIP } from 'node:net';
import { networkInterfaces } from 'node:os';
import type { NodeAddress } from '../../../generated/client/core/v1/types.ts';
import { parseAddress } from '../../formats/ip-text.ts';
import type { SystemFiles } from './system-files.ts';

const LOOPBACK = '127.0.0.1';
/** They stand for one that is found, of their family. */
const ANY: Readonly<Record<string, 'IPv4' | 'IPv6'>> = { '0.0.0.0': 'IPv4', '::': 'IPv6' };
/** No machine is reached there: multicast and link-local addresses. */
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

/** @throws Error that names the flag. @returns as they are given; `0.0.0.0` and `::` stand for one that is found */
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

/** Addresses, then the host name, as 1.32 lists them. */
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

/** @param wanted absent: IPv4 where there is one */
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

/** Of the routes of IPv4: the one whose destination is everything. */
function defaultInterface(files: SystemFiles): string | undefined {
  const [, ...rows] = (files.text('proc/net/route') ?? '').split('\n');
  const found = rows
    .map((row) => row.split('\t'))
    .find(([, destination, , , , , , mask]) => destination === '00000000' && mask === '00000000');
  return found?.[0];
}
