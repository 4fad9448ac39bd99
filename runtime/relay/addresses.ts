/** Which addresses a client may have the server connect to: none that only the server itself should reach. */
import { lookup } from 'node:dns/promises';
import { BlockList, isIP } from 'node:net';
import { newBadRequest, type StatusError } from '../status/status.ts';
import { DialError } from './dial.ts';

/** Of the server's own machine and its links. */
const LOCAL = new BlockList();
LOCAL.addSubnet('127.0.0.0', 8, 'ipv4');
LOCAL.addSubnet('169.254.0.0', 16, 'ipv4');
LOCAL.addSubnet('224.0.0.0', 24, 'ipv4');
LOCAL.addAddress('::1', 'ipv6');
LOCAL.addSubnet('fe80::', 10, 'ipv6');
LOCAL.addSubnet('ff01::', 16, 'ipv6');
LOCAL.addSubnet('ff02::', 16, 'ipv6');

/** Besides those: addresses that no single machine has. */
const NOT_UNICAST = new BlockList();
NOT_UNICAST.addAddress('0.0.0.0', 'ipv4');
NOT_UNICAST.addAddress('255.255.255.255', 'ipv4');
NOT_UNICAST.addSubnet('224.0.0.0', 4, 'ipv4');
NOT_UNICAST.addAddress('::', 'ipv6');
NOT_UNICAST.addSubnet('ff00::', 8, 'ipv6');

function listed(list: BlockList, address: string): boolean {
  return list.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');
}

/** Whether it is the address of a single machine that is not this one: what a pod may have. */
export function isGlobalUnicast(address: string): boolean {
  return isIP(address) !== 0 && !listed(LOCAL, address) && !listed(NOT_UNICAST, address);
}

export function addressNotAllowed(): StatusError {
  return newBadRequest('address not allowed');
}

/**
 * The address of a name that may be reached.
 * @returns an address, so that the name cannot lead elsewhere when the connection is made
 * @throws StatusError BadRequest where one of its addresses is this machine's own, or that of no single machine; DialError for a name that has none
 */
export async function reachableAddress(host: string): Promise<string> {
  const addresses = isIP(host) === 0 ? await resolved(host) : [host];
  if (!addresses.every(isGlobalUnicast)) throw addressNotAllowed();
  return addresses[0] as string;
}

async function resolved(host: string): Promise<string[]> {
  const found = await lookup(host, { all: true }).catch(() => []);
  if (found.length === 0) throw new DialError(`lookup ${host}: no such host`);
  return found.map(({ address }) => address);
}
