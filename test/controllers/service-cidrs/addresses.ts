/** A server's parts over a store of the test's own, which gives out addresses by objects. */

import type { ApiObject } from '../../../runtime/contract/object.ts';
import type { ControllerServer } from '../../../runtime/controllers/controller/controller-server.ts';
import { AddressRange } from '../../../runtime/registry/allocation/address-range.ts';
import { IpAddressAllocator } from '../../../runtime/registry/allocation/ip-address-allocator.ts';
import { IpAddresses } from '../../../runtime/registry/allocation/ip-addresses.ts';
import type { ServiceAddresses } from '../../../runtime/registry/allocation/service-addresses.ts';
import { ServiceCidrs } from '../../../runtime/registry/allocation/service-cidrs.ts';
import { TestCluster } from '../server.ts';

export const VERSION = 'networking.k8s.io/v1beta1';

export interface AddressCluster {
  readonly cluster: TestCluster;
  readonly server: ControllerServer;
  readonly addresses: ServiceAddresses;
  allocator(recordsToo?: boolean): IpAddressAllocator;
  addRange(name: string, ...cidrs: string[]): Promise<ApiObject>;
  /** names of services, by the addresses whose objects name them */
  held(): Record<string, string>;
}

export async function addressCluster(defaults: readonly string[] = ['10.0.0.0/28']): Promise<AddressCluster> {
  const cluster = await TestCluster.create();
  const { storage } = cluster.server;
  const cidrResource = cluster.resource(VERSION, 'servicecidrs');
  const cidrs = new ServiceCidrs(storage, cidrResource);
  const objects = new IpAddresses(() => cluster.server, cluster.resource(VERSION, 'ipaddresses'));
  const addresses: ServiceAddresses = { cidrs, objects, cidrResource, defaults };
  const settings = { ranges: defaults.map((cidr) => new AddressRange(cidr)), ports: { first: 30_000, last: 30_003 } };
  return {
    cluster,
    server: { ...cluster.server, serviceAddresses: addresses },
    addresses,
    allocator: (recordsToo = true) => new IpAddressAllocator(storage, cidrs, objects, { ...settings, recordsToo }),
    addRange: (name, ...ranges) => cluster.create(VERSION, 'servicecidrs', { metadata: { name }, spec: { cidrs: ranges } }),
    held: () => Object.fromEntries(cluster.objects('ipaddresses/').map(({ metadata, spec }) => [metadata.name, spec.parentRef.name])),
  };
}
