/** By what addresses of services are given out behind the gate MultiCIDRServiceAllocator. */

import type { Resource } from '../resource.ts';
import type { IpAddresses } from './ip-addresses.ts';
import type { ServiceCidrs } from './service-cidrs.ts';

export interface ServiceAddresses {
  readonly cidrs: ServiceCidrs;
  readonly objects: IpAddresses;
  /** of the objects that `cidrs` has */
  readonly cidrResource: Resource;
  /** as flags name them, one of each family, that of services which ask for none first */
  readonly defaults: readonly string[];
}
