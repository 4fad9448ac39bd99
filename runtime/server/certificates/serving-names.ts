import { BlockList, isIP, isIPv6 } from 'node:net';
import { hostname, networkInterfaces } from 'node:os';
import type { Identity } from '../../contract/identity.ts';

export interface ServingAddresses {
  readonly bindAddress: string;
  /** the addresses of the API's own service, which are the first of each service range */
  readonly serviceAddresses: readonly string[];
  /** further names and addresses, such as --external-hostname and --advertise-address; empty ones are left out */
  readonly further: readonly string[];
}

/** Lists the host names and addresses that the serving certificate must be for, sorted and without repetitions. */
export function servingNames({ bindAddress, serviceAddresses, further }: ServingAddresses, identity: Identity): string[] {
  const services = new Set(['kubernetes', identity.text('${defaultService}')]);
  const names = ['localhost', '127.0.0.1', '::1', hostname().toLowerCase(), ...serviceAddresses, ...further];
  names.push(...(isWildcard(bindAddress) ? interfaceAddresses() : [bindAddress]));
  for (const service of services)
    names.push(service, `${service}.default`, `${service}.default.svc`, `${service}.default.svc.cluster.local`);
  return [...new Set(names.filter(isNameOrAddress))].sort();
}

/** Tells whether an address stands for all interfaces. */
export function isWildcard(address: string): boolean {
  return address === '' || address === '0.0.0.0' || address === '::';
}

/**
 * Where other machines reach a server: what is given, else what it is bound to, else the first address of this machine that others can reach.
 * @param given may be empty
 * @returns undefined where they do not reach it
 */
export function reachableAddress(given: string, bindAddress: string): string | undefined {
  const chosen = isWildcard(given) ? bindAddress : given;
  const address = isWildcard(chosen) ? interfaceAddresses()[0] : chosen;
  return address === undefined || isIP(address) === 0 || LOOPBACK.check(address, isIPv6(address) ? 'ipv6' : 'ipv4') ? undefined : address;
}

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet('127.0.0.0', 8, 'ipv4');
LOOPBACK.addAddress('::1', 'ipv6');

/** Those that other machines can reach; an address with a zone is good on this machine alone. */
function interfaceAddresses(): string[] {
  return Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .filter(({ internal, scopeid }) => !internal && !scopeid)
    .map(({ address }) => address);
}

function isNameOrAddress(text: string): boolean {
  return isIP(text) !== 0 || /^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$/i.test(text);
}
