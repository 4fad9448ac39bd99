/** What the type of a service, and some of its members, say about the others. */
import type { Allocations } from '../../contract/kind.ts';
import type { ApiObject } from '../../contract/object.ts';
import type { Struct } from '../struct.ts';

export const NO_ADDRESS = 'None';

export const needsAddress = (spec: Struct): boolean => spec.type !== 'ExternalName';
export const needsNodePorts = (spec: Struct): boolean => spec.type === 'NodePort' || spec.type === 'LoadBalancer';
/** Balancers that must find the nodes with pods of the service ask for their health at a port of its own. */
export const needsHealthPort = (spec: Struct): boolean => spec.type === 'LoadBalancer' && spec.externalTrafficPolicy === 'Local';
export const isHeadless = (spec: Struct): boolean => spec.clusterIPs?.length === 1 && spec.clusterIPs[0] === NO_ADDRESS;

export function isReachableFromOutside(spec: Struct): boolean {
  return needsNodePorts(spec) || (spec.type === 'ClusterIP' && (spec.externalIPs ?? []).length > 0);
}

/** Ports of nodes that the service has or asks for, that of its health not among them. */
export function nodePortsOf(spec: Struct): number[] {
  return ((spec.ports ?? []) as Struct[]).map(({ nodePort }) => nodePort ?? 0).filter((port) => port !== 0);
}

const NOTHING: Allocations = { addresses: [], ports: [] };

/** What the service has of the cluster's ranges. */
export function heldBy(service: ApiObject | undefined): Allocations {
  const spec: Struct = service?.spec;
  if (spec === undefined) return NOTHING;
  return {
    addresses: needsAddress(spec) && !isHeadless(spec) ? ((spec.clusterIPs ?? []) as string[]).filter(Boolean) : [],
    ports: [...nodePortsOf(spec), ...(spec.healthCheckNodePort ? [spec.healthCheckNodePort as number] : [])],
  };
}

export function sameList(a: readonly unknown[] | undefined, b: readonly unknown[] | undefined): boolean {
  const [left, right] = [a ?? [], b ?? []];
  return left.length === right.length && left.every((value, index) => value === right[index]);
}
