/** Changes of services: what a client leaves out stays, and what the new type has no use for goes. */
import type { Service, ServiceSpec } from '../../../../generated/core/v1/types.ts';
import { type FieldError, forbidden, invalid } from '../../../contract/field-error.ts';
import type { Rule } from '../../../contract/kind.ts';
import { joined, NONE } from '../../../validation/joined.ts';
import {
  isHeadless,
  isReachableFromOutside,
  NO_PORTS,
  needsAddress,
  needsHealthPort,
  needsNodePorts,
  nodePortsOf,
  sameList,
  specOf,
} from './service-spec.ts';

/** Clients that replace a service need not repeat what was allocated to it. @param spec changed */
export function keepAllocated(spec: ServiceSpec, old: ServiceSpec): void {
  if (needsAddress(old) && needsAddress(spec)) {
    if (!spec.clusterIP && old.clusterIP) spec.clusterIP = old.clusterIP;
    if ((spec.clusterIPs ?? []).length === 0 && spec.clusterIP === old.clusterIP && old.clusterIPs !== undefined)
      spec.clusterIPs = old.clusterIPs;
  }
  if (needsNodePorts(old) && needsNodePorts(spec)) keepNodePorts(spec, old);
  if (needsHealthPort(old) && needsHealthPort(spec)) keepHealthPort(spec, old);
}

function keepHealthPort(spec: ServiceSpec, { healthCheckNodePort: port }: ServiceSpec): void {
  if (!spec.healthCheckNodePort && port !== undefined) spec.healthCheckNodePort = port;
}

/** Ports are known by their names. */
function keepNodePorts(spec: ServiceSpec, old: ServiceSpec): void {
  const before = nodePortsOf(old);
  const used = new Set(nodePortsOf(spec).filter((port) => before.includes(port)));
  const byName = new Map((old.ports ?? NO_PORTS).map(({ name = '', nodePort }) => [name, nodePort]));
  for (const port of spec.ports ?? NO_PORTS) {
    const known = byName.get(port.name ?? '');
    if (port.nodePort || !known || used.has(known)) continue;
    port.nodePort = known;
    used.add(known);
  }
}

/** The first address has a member of its own; writers change one form or the other. @param spec changed */
export function alignAddresses(spec: ServiceSpec, old: ServiceSpec | undefined): void {
  if (old === undefined) {
    if (spec.clusterIP && (spec.clusterIPs ?? []).length === 0) spec.clusterIPs = [spec.clusterIP];
    return;
  }
  if ((spec.clusterIP ?? '') === (old.clusterIP ?? '')) {
    if ((spec.clusterIPs ?? []).length === 0 && old.clusterIPs !== undefined) spec.clusterIPs = old.clusterIPs;
  } else if (sameList(spec.clusterIPs, old.clusterIPs)) {
    if (spec.clusterIP) spec.clusterIPs = [spec.clusterIP];
    else delete spec.clusterIPs;
  }
}

/** What the new type does not use, and the client did not try to change, goes. @param service changed */
export function dropUnused(service: Service, old: Service): void {
  const spec = specOf(service);
  const before = specOf(old);
  const drop = (member: keyof ServiceSpec): void => {
    if (spec[member] === before[member]) delete spec[member];
  };
  if (needsAddress(before) && !needsAddress(spec)) dropAddresses(spec, before);
  hideTrafficPolicy(spec);
  if (needsNodePorts(before) && !needsNodePorts(spec)) {
    const known = nodePortsOf(before);
    if (nodePortsOf(spec).every((port) => known.includes(port))) for (const port of spec.ports ?? []) delete port.nodePort;
  }
  if (isReachableFromOutside(before) && !isReachableFromOutside(spec)) drop('externalTrafficPolicy');
  if (needsHealthPort(before) && !needsHealthPort(spec)) drop('healthCheckNodePort');
  if (spec.type === 'LoadBalancer') return;
  if (before.type === 'LoadBalancer') {
    drop('allocateLoadBalancerNodePorts');
    drop('loadBalancerClass');
  }
  if (service.status !== undefined) service.status = { ...service.status, loadBalancer: {} };
}

const TRAFFIC_POLICIES: readonly (string | undefined)[] = ['Cluster', 'Local'];

/** As in 1.32, no reader finds this member in an alias, since earlier releases gave it to all. Validation sees a value that nothing can have. @param spec changed */
export function hideTrafficPolicy(spec: ServiceSpec): void {
  if (!needsAddress(spec) && TRAFFIC_POLICIES.includes(spec.internalTrafficPolicy)) delete spec.internalTrafficPolicy;
}

function dropAddresses(spec: ServiceSpec, old: ServiceSpec): void {
  if ((spec.clusterIP ?? '') === (old.clusterIP ?? '') && sameList(spec.clusterIPs, old.clusterIPs)) {
    delete spec.clusterIP;
    delete spec.clusterIPs;
  }
  if (sameList(spec.ipFamilies, old.ipFamilies)) delete spec.ipFamilies;
  if (spec.ipFamilyPolicy === old.ipFamilyPolicy) delete spec.ipFamilyPolicy;
}

const UNCHANGEABLE = 'may not change once set';

export const addresses: Rule<ServiceSpec> = (spec, old) =>
  old !== undefined && needsAddress(spec) && needsAddress(old)
    ? joined(validateAddressChange(spec, old), validateFamilyChange(spec, old))
    : NONE;

export function balancerClass(spec: ServiceSpec, old: ServiceSpec | undefined): readonly FieldError[] {
  const changes = spec.type === 'LoadBalancer' && old?.type === 'LoadBalancer' && spec.loadBalancerClass !== old.loadBalancerClass;
  return changes ? [invalid('.loadBalancerClass', spec.loadBalancerClass, UNCHANGEABLE)] : NONE;
}

export function healthPort(spec: ServiceSpec, old: ServiceSpec | undefined): readonly FieldError[] {
  if (old === undefined || !needsHealthPort(old) || !needsHealthPort(spec)) return NONE;
  return spec.healthCheckNodePort === old.healthCheckNodePort ? NONE : [forbidden('.healthCheckNodePort', 'field is immutable')];
}

function validateAddressChange(spec: ServiceSpec, old: ServiceSpec): readonly FieldError[] {
  if (isHeadless(old) && isHeadless(spec)) return NONE;
  const now = spec.clusterIPs ?? [];
  const before = old.clusterIPs ?? [];
  if (now.length === before.length)
    return before.flatMap((address, index) => (address === now[index] ? [] : [invalid(`.clusterIPs[${index}]`, now, UNCHANGEABLE)]));
  const errors: FieldError[] = [];
  if (before.length > 0 && now[0] !== before[0])
    errors.push(invalid('.clusterIPs[0]', now, now.length === 0 ? 'primary clusterIP can not be unset' : UNCHANGEABLE));
  if (now.length === 1 && before.length > 1) errors.push(...validateRelease(spec, 'clusterIP'));
  return errors;
}

function validateFamilyChange(spec: ServiceSpec, old: ServiceSpec): readonly FieldError[] {
  if (isHeadless(spec) || isHeadless(old)) return NONE;
  const now = spec.ipFamilies ?? [];
  const before = old.ipFamilies ?? [];
  const path = '.ipFamilies[0]';
  if (now.length === before.length)
    return before.flatMap((family, index) => (family === now[index] ? [] : [invalid(path, now, UNCHANGEABLE)]));
  const errors: FieldError[] = [];
  if (now.length < before.length && (spec.clusterIPs ?? []).length === 0)
    errors.push(invalid(path, now, 'primary ipFamily can not be unset'));
  if (now.length > 0 && before.length > 0 && now[0] !== before[0]) errors.push(invalid(path, spec.clusterIPs, UNCHANGEABLE));
  if (now.length === 1 && before.length > 1) errors.push(...validateRelease(spec, 'ipFamily'));
  return errors;
}

function validateRelease({ ipFamilyPolicy }: ServiceSpec, noun: string): readonly FieldError[] {
  if (ipFamilyPolicy === 'SingleStack') return NONE;
  return [invalid('.ipFamilyPolicy', ipFamilyPolicy ?? null, `must be set to 'SingleStack' when releasing the secondary ${noun}`)];
}
