/** Changes of services: what a client leaves out stays, and what the new type has no use for goes. */
import { type FieldError, forbidden, invalid } from '../../contract/field-error.ts';
import type { Struct } from '../struct.ts';
import {
  isHeadless,
  isReachableFromOutside,
  needsAddress,
  needsHealthPort,
  needsNodePorts,
  nodePortsOf,
  sameList,
} from './service-spec.ts';
import { validateBalancerClass } from './service-validation.ts';

/** Clients that replace a service need not repeat what was allocated to it. @param spec changed */
export function keepAllocated(spec: Struct, old: Struct): void {
  if (needsAddress(old) && needsAddress(spec)) {
    if (!spec.clusterIP && old.clusterIP) spec.clusterIP = old.clusterIP;
    if ((spec.clusterIPs ?? []).length === 0 && spec.clusterIP === old.clusterIP && old.clusterIPs !== undefined)
      spec.clusterIPs = old.clusterIPs;
  }
  if (needsNodePorts(old) && needsNodePorts(spec)) keepNodePorts(spec, old);
  if (needsHealthPort(old) && needsHealthPort(spec)) spec.healthCheckNodePort ||= old.healthCheckNodePort;
}

/** Ports are known by their names. */
function keepNodePorts(spec: Struct, old: Struct): void {
  const before = nodePortsOf(old);
  const used = new Set(nodePortsOf(spec).filter((port) => before.includes(port)));
  const byName = new Map(((old.ports ?? []) as Struct[]).map(({ name = '', nodePort }) => [name, nodePort]));
  for (const port of (spec.ports ?? []) as Struct[]) {
    const known: number | undefined = byName.get(port.name ?? '');
    if (port.nodePort || !known || used.has(known)) continue;
    port.nodePort = known;
    used.add(known);
  }
}

/** The first address has a member of its own; writers change one form or the other. @param spec changed */
export function alignAddresses(spec: Struct, old: Struct): void {
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
export function dropUnused(service: Struct, old: Struct): void {
  const spec: Struct = service.spec;
  const before: Struct = old.spec;
  const drop = (member: string): void => {
    if (spec[member] === before[member]) delete spec[member];
  };
  if (needsAddress(before) && !needsAddress(spec)) {
    dropAddresses(spec, before);
    drop('internalTrafficPolicy');
  }
  if (needsNodePorts(before) && !needsNodePorts(spec)) {
    const known = nodePortsOf(before);
    if (nodePortsOf(spec).every((port) => known.includes(port))) for (const port of (spec.ports ?? []) as Struct[]) delete port.nodePort;
  }
  if (isReachableFromOutside(before) && !isReachableFromOutside(spec)) drop('externalTrafficPolicy');
  if (needsHealthPort(before) && !needsHealthPort(spec)) drop('healthCheckNodePort');
  if (spec.type === 'LoadBalancer') return;
  if (before.type === 'LoadBalancer') for (const member of ['allocateLoadBalancerNodePorts', 'loadBalancerClass']) drop(member);
  if (service.status !== undefined) service.status = { ...service.status, loadBalancer: {} };
}

function dropAddresses(spec: Struct, old: Struct): void {
  if ((spec.clusterIP ?? '') === (old.clusterIP ?? '') && sameList(spec.clusterIPs, old.clusterIPs)) {
    delete spec.clusterIP;
    delete spec.clusterIPs;
  }
  if (sameList(spec.ipFamilies, old.ipFamilies)) delete spec.ipFamilies;
  if (spec.ipFamilyPolicy === old.ipFamilyPolicy) delete spec.ipFamilyPolicy;
}

const UNCHANGEABLE = 'may not change once set';

export function validateServiceChange(spec: Struct, old: Struct): FieldError[] {
  const changesClass = spec.type === 'LoadBalancer' && old.type === 'LoadBalancer' && spec.loadBalancerClass !== old.loadBalancerClass;
  const changesHealthPort = needsHealthPort(old) && needsHealthPort(spec) && spec.healthCheckNodePort !== old.healthCheckNodePort;
  return [
    ...(needsAddress(spec) && needsAddress(old) ? [...validateAddressChange(spec, old), ...validateFamilyChange(spec, old)] : []),
    ...(changesClass ? [invalid('spec.loadBalancerClass', spec.loadBalancerClass, UNCHANGEABLE)] : []),
    // 1.32 looks at a changed class twice, and its answers list each finding twice.
    ...validateBalancerClass(spec),
    ...(changesHealthPort ? [forbidden('spec.healthCheckNodePort', 'field is immutable')] : []),
  ];
}

function validateAddressChange(spec: Struct, old: Struct): FieldError[] {
  if (isHeadless(old) && isHeadless(spec)) return [];
  const now: readonly string[] = spec.clusterIPs ?? [];
  const before: readonly string[] = old.clusterIPs ?? [];
  if (now.length === before.length)
    return before.flatMap((address, index) => (address === now[index] ? [] : [invalid(`spec.clusterIPs[${index}]`, now, UNCHANGEABLE)]));
  const errors: FieldError[] = [];
  if (now.length === 0) errors.push(invalid('spec.clusterIPs[0]', now, 'primary clusterIP can not be unset'));
  else if (before.length > 0 && now[0] !== before[0]) errors.push(invalid('spec.clusterIPs[0]', now, UNCHANGEABLE));
  if (now.length === 1 && before.length > 1) errors.push(...validateRelease(spec, 'clusterIP'));
  return errors;
}

function validateFamilyChange(spec: Struct, old: Struct): FieldError[] {
  if (isHeadless(spec) || isHeadless(old)) return [];
  const now: readonly string[] = spec.ipFamilies ?? [];
  const before: readonly string[] = old.ipFamilies ?? [];
  const path = 'spec.ipFamilies[0]';
  if (now.length === before.length)
    return before.flatMap((family, index) => (family === now[index] ? [] : [invalid(path, now, UNCHANGEABLE)]));
  const errors: FieldError[] = [];
  if (now.length < before.length && (spec.clusterIPs ?? []).length === 0)
    errors.push(invalid(path, now, 'primary ipFamily can not be unset'));
  if (now.length > 0 && before.length > 0 && now[0] !== before[0]) errors.push(invalid(path, spec.clusterIPs, UNCHANGEABLE));
  if (now.length === 1 && before.length > 1) errors.push(...validateRelease(spec, 'ipFamily'));
  return errors;
}

function validateRelease({ ipFamilyPolicy }: Struct, noun: string): FieldError[] {
  if (ipFamilyPolicy === 'SingleStack') return [];
  return [invalid('spec.ipFamilyPolicy', ipFamilyPolicy ?? null, `must be set to 'SingleStack' when releasing the secondary ${noun}`)];
}
