/** The parts that allocate addresses of services while the feature gate MultiCIDRServiceAllocator is on. */

import type { Resource } from '../resources/resource.ts';
import type { IpAddresses } from './ip-addresses.ts';
import type { ServiceCidrs } from './service-cidrs.ts';

export interface ServiceAddresses {
  readonly cidrs: ServiceCidrs;
  readonly objects: IpAddresses;
  /** the resource of the objects that `cidrs` reads */
  readonly cidrResource: Resource;
  /** the ranges that flags name, one of each family; the first one is for services that ask for no family */
  readonly defaults: readonly string[];
}
