/** What is wrong between services and the IPAddress objects of their addresses, in the words of 1.32's events. */
import { isIP } from 'node:net';
import type { ApiObject } from '../../contract/object.ts';
import { familyOf } from '../../formats/addresses.ts';
import { heldBy } from '../../kinds/core/services/service-spec.ts';
import { canonicalAddress } from '../../registry/allocation/address-range.ts';
import { isOfService, type StoredAddress } from '../../registry/allocation/ip-addresses.ts';
import type { ServiceAddresses } from '../../registry/allocation/service-addresses.ts';

export interface Finding {
  readonly reason: string;
  readonly action: 'ClusterIPValidation' | 'ClusterIPAllocation' | 'IPAddressAllocation';
  readonly message: string;
}

export interface ServiceFinding {
  /** absent if nobody is told */
  readonly finding?: Finding;
  readonly address: string;
  /** `create` if an object is missing; the stored object if it must be made again; undefined if people have to repair it */
  readonly repair: 'create' | StoredAddress | undefined;
}

/** @param service the one of that name; undefined where there is none */
export type FindService = (namespace: string, name: string) => ApiObject | undefined;

/** Returns the findings about the addresses of a service, at most one for each address. */
export function findingsOf(service: ApiObject, addresses: ServiceAddresses, find: FindService): ServiceFinding[] {
  return heldBy(service).addresses.flatMap((text) => {
    const address = canonicalAddress(text);
    const found = findingOf(service, address, addresses, find);
    return found === undefined ? [] : [{ address, ...found }];
  });
}

const allocation = (reason: string, message: string): Finding => ({ reason, action: 'ClusterIPAllocation', message });

function findingOf(
  service: ApiObject,
  address: string,
  { cidrs, objects }: ServiceAddresses,
  find: FindService,
): Omit<ServiceFinding, 'address'> | undefined {
  if (isIP(address) === 0) {
    const message = `Cluster IP ${address} is not a valid IP; please recreate Service`;
    return { finding: { reason: 'ClusterIPNotValid', action: 'ClusterIPValidation', message }, repair: undefined };
  }
  const family = familyOf(address);
  if (!cidrs.contain(address)) {
    const message = `Cluster IP [${family}]: ${address} is not within any configured Service CIDR; please recreate service`;
    return { finding: allocation('ClusterIPOutOfRange', message), repair: undefined };
  }
  const stored = objects.get(address);
  if (stored === undefined) {
    const message = `Cluster IP [${family}]: ${address} is not allocated; repairing`;
    return { finding: allocation('ClusterIPNotAllocated', message), repair: 'create' };
  }
  if (!isOfService(stored.parent, service.metadata)) return ofAnother(service, stored, find);
  const expected = Object.entries(objects.labelsOf(address));
  return expected.every(([label, value]) => stored.labels[label] === value) ? undefined : { repair: stored };
}

/** An object that names another service which has the address too stays: else the two would take it from one another again and again. */
function ofAnother({ metadata }: ApiObject, stored: StoredAddress, find: FindService): Omit<ServiceFinding, 'address'> | undefined {
  const { name: address, parent } = stored;
  const family = familyOf(address);
  const isService = (parent.group ?? '') === '' && parent.resource === 'services';
  const other = isService ? find(parent.namespace ?? '', parent.name ?? '') : undefined;
  if (other === undefined) {
    const message = `the ClusterIP [${family}]: ${address} for Service ${metadata.namespace}/${metadata.name} has a wrong reference; repairing`;
    return { finding: allocation('ClusterIPNotAllocated', message), repair: stored };
  }
  // One that does not use it is about to lose it, or to have it.
  if (!uses(other, address)) return undefined;
  const message = `Cluster IP [${family}]:${address} was assigned to multiple services; please recreate service`;
  return { finding: allocation('ClusterIPAlreadyAllocated', message), repair: undefined };
}

/** Why nobody needs an object that the allocator has made; undefined: a service does. */
export function leakOf(stored: StoredAddress, find: FindService): Finding | undefined {
  const { name: address, parent } = stored;
  const { group = '', resource = '', namespace = '', name = '' } = parent;
  const leak = (reason: string, message: string): Finding => ({ reason, action: 'IPAddressAllocation', message });
  if (group !== '' || resource !== 'services') {
    const reference = `&ParentReference{Group:${group},Resource:${resource},Namespace:${namespace},Name:${name},}`;
    const message = `IPAddress ${address} appears to have been modified, not referencing a Service ${reference}: cleaning up`;
    return leak('IPAddressNotAllocated', message);
  }
  const service = find(namespace, name);
  const whose = `IPAddress: ${address} for Service ${namespace}/${name}`;
  if (service === undefined) return leak('IPAddressNotAllocated', `${whose} appears to have leaked: cleaning up`);
  return uses(service, address) ? undefined : leak('IPAddressWrongReference', `${whose} has a wrong reference; cleaning up`);
}

const uses = (service: ApiObject, address: string): boolean => heldBy(service).addresses.some((each) => canonicalAddress(each) === address);
