/** What the type of a service, and some of its members, say about the others. */
import type { Service, ServicePort, ServiceSpec } from '../../../../generated/core/v1/types.ts';
import type { Allocations } from '../../../contract/allocation.ts';
import type { Predicate } from '../../../contract/kind.ts';
import type { ApiObject } from '../../../contract/object.ts';

export const NO_ADDRESS = 'None';
/** Of services without ports. */
export const NO_PORTS: readonly ServicePort[] = [];

/** Decoding gives every service a spec: the type of a service has a default. */
export const specOf = ({ spec }: Pick<Service, 'spec'>): ServiceSpec => spec as ServiceSpec;

export const needsAddress = (spec: ServiceSpec): boolean => spec.type !== 'ExternalName';
export const needsNodePorts = (spec: ServiceSpec): boolean => spec.type === 'NodePort' || spec.type === 'LoadBalancer';
/** Balancers that must find the nodes with pods of the service ask for their health at a port of its own. */
export const needsHealthPort = (spec: ServiceSpec): boolean => spec.type === 'LoadBalancer' && spec.externalTrafficPolicy === 'Local';
export const isHeadless = (spec: ServiceSpec): boolean => spec.clusterIPs?.length === 1 && spec.clusterIPs[0] === NO_ADDRESS;

/** Of a service's addresses: that it has some. */
export const areAddresses: Predicate<readonly string[], ServiceSpec> = (_addresses, _old, _context, _scope, spec) => !isHeadless(spec);

/** Only services that nothing is sent to by an address of their own do without ports. */
export const areEnough: Predicate<readonly ServicePort[], ServiceSpec> = (ports, _old, _context, _scope, spec) =>
  ports.length > 0 || isHeadless(spec) || !needsAddress(spec);

export function isReachableFromOutside(spec: ServiceSpec): boolean {
  return needsNodePorts(spec) || (spec.type === 'ClusterIP' && (spec.externalIPs ?? []).length > 0);
}

/** Ports of nodes that the service has or asks for, that of its health not among them. */
export function nodePortsOf({ ports }: ServiceSpec): number[] {
  return (ports ?? NO_PORTS).map(({ nodePort }) => nodePort ?? 0).filter((port) => port !== 0);
}

const NOTHING: Allocations = { addresses: [], ports: [] };

/** What the service has of the cluster's ranges. */
export function heldBy(service: Service | ApiObject | undefined): Allocations {
  const spec: ServiceSpec | undefined = service?.spec;
  if (spec === undefined) return NOTHING;
  return {
    addresses: needsAddress(spec) && !isHeadless(spec) ? (spec.clusterIPs ?? []).filter(Boolean) : [],
    ports: [...nodePortsOf(spec), ...(spec.healthCheckNodePort ? [spec.healthCheckNodePort] : [])],
  };
}

export function sameList(a: readonly unknown[] | undefined, b: readonly unknown[] | undefined): boolean {
  const [left, right] = [a ?? [], b ?? []];
  return left.length === right.length && left.every((value, index) => value === right[index]);
}
