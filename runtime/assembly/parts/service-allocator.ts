/** Chooses what gives services their addresses and ports. */

import type { Allocator } from '../../contract/allocation.ts';
import type { Identity } from '../../contract/identity.ts';
import type { Metrics } from '../../observability/metrics.ts';
import { AllocationFigures, type RecordedRange } from '../../registry/allocation/allocation-figures.ts';
import { StorageAllocator } from '../../registry/allocation/allocator.ts';
import { IpAddressAllocator } from '../../registry/allocation/ip-address-allocator.ts';
import { type AddressServer, IpAddresses } from '../../registry/allocation/ip-addresses.ts';
import type { ServiceAddresses } from '../../registry/allocation/service-addresses.ts';
import { ServiceCidrs } from '../../registry/allocation/service-cidrs.ts';
import type { BuiltInApi } from '../../registry/resources/built-in-api.ts';
import type { Registry } from '../../registry/resources/registry.ts';
import type { Resource } from '../../registry/resources/resource.ts';
import type { Storage } from '../../storage/storage.ts';
import type { Flags } from '../setup/flags.ts';
import { addressRanges, portRange } from './service-ranges.ts';

const GATE = 'MultiCIDRServiceAllocator';
const RANGES = 'servicecidrs';

export interface AllocatorParts {
  readonly flags: Flags;
  readonly identity: Identity;
  readonly storage: Storage;
  readonly registry: Registry;
  readonly builtIn: Pick<BuiltInApi, 'knows'>;
  readonly metrics: Pick<Metrics, 'counter' | 'histogram'>;
  readonly featureEnabled: (gate: string) => boolean;
  /** the server is made after the allocator, so this must not be called before services are created */
  readonly server: () => AddressServer;
}

export interface AllocatorAndObjects {
  readonly allocator: Allocator & { readonly recordedRanges: readonly RecordedRange[] };
  /** undefined if the feature gate is off, and if services are not served */
  readonly serviceAddresses: ServiceAddresses | undefined;
}

/** @throws Error that names the flag that is wrong or missing */
export function createAllocator(parts: AllocatorParts): AllocatorAndObjects {
  const { flags, storage, registry, metrics, featureEnabled, server } = parts;
  const isOpen = featureEnabled(GATE) && hasRanges(parts) && registry.current.resource('', 'v1', 'services') !== undefined;
  const recordsToo = !featureEnabled('DisableAllocatorDualWrite');
  const ranges = addressRanges(flags['service-cluster-ip-range'], isOpen && !recordsToo);
  const ports = portRange(flags['service-node-port-range']);
  const figures = new AllocationFigures(metrics);
  if (!isOpen) return { allocator: new StorageAllocator(storage, ranges, ports, { figures }), serviceAddresses: undefined };
  const cidrResource = objectsOf(parts, RANGES);
  const cidrs = new ServiceCidrs(storage, cidrResource);
  const objects = new IpAddresses(server, objectsOf(parts, 'ipaddresses'));
  return {
    allocator: new IpAddressAllocator(storage, cidrs, objects, { ranges, ports, recordsToo, figures }),
    serviceAddresses: { cidrs, objects, cidrResource, defaults: ranges.map(({ cidr }) => cidr) },
  };
}

/** An emulated release may have the feature gate but not yet the kind ServiceCIDR. */
function hasRanges({ builtIn, identity }: AllocatorParts): boolean {
  return builtIn.knows(identity.text('networking.${groupDomain}'), RANGES);
}

/** 1.32 waits forever and serves nothing if the kind is not served. @throws Error that names the flag instead */
function objectsOf({ registry, identity }: AllocatorParts, name: string): Resource {
  const group = identity.text('networking.${groupDomain}');
  const resource = registry.current.resourceOfForm(group, 'v1beta1', name);
  if (resource !== undefined) return resource;
  throw new Error(
    `--feature-gates: ${GATE} gives out addresses of services by ${name}, which are not served: add --runtime-config=${group}/v1beta1=true`,
  );
}
