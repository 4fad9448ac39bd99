/** Which addresses a client may make the server connect to. Addresses that only the server's own machine can reach are refused. */
import { lookup } from 'node:dns/promises';
import { BlockList, isIP } from 'node:net';
import { newBadRequest, type StatusError } from '../status/status.ts';

/** Addresses of the server's own machine and of the networks that it is directly on. */
const LOCAL = new BlockList();
LOCAL.addSubnet('127.0.0.0', 8, 'ipv4');
LOCAL.addSubnet('169.254.0.0', 16, 'ipv4');
LOCAL.addSubnet('224.0.0.0', 24, 'ipv4');
LOCAL.addAddress('::1', 'ipv6');
LOCAL.addSubnet('fe80::', 10, 'ipv6');
LOCAL.addSubnet('ff01::', 16, 'ipv6');
LOCAL.addSubnet('ff02::', 16, 'ipv6');

/** Addresses besides those of `LOCAL` that do not belong to one machine. */
const NOT_UNICAST = new BlockList();
NOT_UNICAST.addAddress('0.0.0.0', 'ipv4');
NOT_UNICAST.addAddress('255.255.255.255', 'ipv4');
NOT_UNICAST.addSubnet('224.0.0.0', 4, 'ipv4');
NOT_UNICAST.addAddress('::', 'ipv6');
NOT_UNICAST.addSubnet('ff00::', 8, 'ipv6');

function listed(list: BlockList, address: string): boolean {
  return list.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');
}

/** Whether this is the address of one machine other than the server's own. Addresses of pods must be such. */
export function isGlobalUnicast(address: string): boolean {
  return isIP(address) !== 0 && !listed(LOCAL, address) && !listed(NOT_UNICAST, address);
}

export function addressNotAllowed(): StatusError {
  return newBadRequest('address not allowed');
}

/**
 * Resolves a name, and checks that the server may connect to it.
 * @returns an address rather than the name, which could resolve to another address by the time of the connection
 * @throws StatusError BadRequest if any address of the name fails `isGlobalUnicast`, or if it has none
 */
export async function reachableAddress(host: string): Promise<string> {
  const addresses = isIP(host) === 0 ? await resolved(host) : [host];
  if (!addresses.every(isGlobalUnicast)) throw addressNotAllowed();
  return addresses[0] as string;
}

async function resolved(host: string): Promise<string[]> {
  const found = await lookup(host, { all: true }).catch(() => []);
  if (found.length === 0) throw newBadRequest(`lookup ${host}: no such host`);
  return found.map(({ address }) => address);
}
