/** Who serves a store besides this server: the service by which pods reach the API leads to all of them. */
import type { ApiObject } from '../contract/object.ts';
import { SERVER_LEASES } from '../registry/etcd/server-leases.ts';
import { StoredObject } from '../registry/stored-objects/stored-object.ts';
import { prefixEnd } from '../storage/storage.ts';
import type { Ensuring } from './ensure.ts';
import { ServerLease } from './server-lease.ts';

/** The servers of a store, each known by the address at which other machines reach it. */
export interface LiveServers {
  /** Says that this server lives. @returns the addresses of all that do, its own among them. @throws StorageError */
  renew(): Promise<readonly string[]>;
  /** Says that this server ends. @returns the addresses that are left; undefined: what leads to the servers is to stay as it is. @throws StorageError */
  leave(): Promise<readonly string[] | undefined>;
  /** whether this server is taken for dead unless it says again and again that it lives */
  readonly expires: boolean;
}

/** The server of a store that no other one serves. Pods find it at the same place after a restart, so nothing changes when it ends. */
export const loneServer = (address: string): LiveServers => ({
  renew: async () => [address],
  leave: async () => undefined,
  expires: false,
});

/**
 * Servers of one etcd, which know one another by keys that expire (`registry/etcd/server-leases.ts`). Servers of this project and kube-apiservers take part alike.
 * @param address of this server
 */
export function leasedServers(server: Ensuring, address: string): LiveServers {
  const { storage } = server;
  const start = `${SERVER_LEASES.prefix}/`;
  const lease = new ServerLease(server, start + address, { subsets: [{ addresses: [{ ip: address }] }] });
  const others = (): string[] => {
    const found: string[] = [];
    for (const { value } of storage.range({ start, end: prefixEnd(start) })) found.push(...addressesOf(value));
    return found.filter((each) => each !== address);
  };
  return {
    async renew() {
      await lease.renew();
      return [address, ...others()].sort();
    },
    async leave() {
      await lease.remove();
      const left = others().sort();
      return left.length === 0 ? undefined : left;
    },
    expires: true,
  };
}

function addressesOf(value: Buffer): string[] {
  const { subsets } = new StoredObject(value).parse();
  const address = subsets?.[0]?.addresses?.[0]?.ip;
  return typeof address === 'string' && address !== '' ? [address] : [];
}

/**
 * Servers whose number is given (`--endpoint-reconciler-type=master-count`): each adds its address to those that are there, and where these are too many it takes away
 * the ones behind its own, so that the list is right when every server has had its turn.
 * @param address of this server
 * @param count of all servers, from 1 on
 * @param stored gives the Endpoints object that leads to them; undefined where there is none
 */
export function countedServers(address: string, count: number, stored: () => ApiObject | undefined): LiveServers {
  const listed = (): string[] => {
    const subsets = stored()?.subsets ?? [];
    return subsets.length === 1 ? (subsets[0].addresses ?? []).map(({ ip }: { readonly ip: string }) => ip) : [];
  };
  return {
    async renew() {
      const there = listed();
      if (there.includes(address) && there.length <= count) return there;
      const all = [...new Set([...there, address])].sort();
      while (all.length > count) all.splice((all.indexOf(address) + 1) % all.length, 1);
      return all;
    },
    leave: async () => listed().filter((each) => each !== address),
    expires: false,
  };
}
