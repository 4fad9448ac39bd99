/**
 * Addresses and node ports of services. They are taken before the service is validated and written, under the uid of the service, and are
 * given back when that fails; what an update no longer uses is given back when it is written.
 */
import { type FieldError, invalid } from '../../contract/field-error.ts';
import type { Allocator, RuleContext } from '../../contract/kind.ts';
import type { ApiObject } from '../../contract/object.ts';
import { newInternalErrorOf, newInvalid } from '../../status/status.ts';
import type { Struct } from '../struct.ts';
import { settleFamilies } from './service-families.ts';
import { isHeadless, needsAddress, needsHealthPort, needsNodePorts, nodePortsOf } from './service-spec.ts';

const TAKEN_ADDRESS = 'provided IP is already allocated';
const TAKEN_PORT = 'provided port is already allocated';
const FULL = 'range is full';

interface Held {
  readonly addresses: readonly string[];
  readonly ports: readonly number[];
}

const NOTHING: Held = { addresses: [], ports: [] };

/** What the service has of the cluster's ranges. */
export function heldBy(service: ApiObject | undefined): Held {
  const spec: Struct = service?.spec;
  if (spec === undefined) return NOTHING;
  return {
    addresses: needsAddress(spec) && !isHeadless(spec) ? ((spec.clusterIPs ?? []) as string[]).filter(Boolean) : [],
    ports: [...nodePortsOf(spec), ...(spec.healthCheckNodePort ? [spec.healthCheckNodePort as number] : [])],
  };
}

/** Gives back all that the service has taken but what `keeper` holds. */
export async function releaseAllBut(keeper: ApiObject | undefined, service: ApiObject, context: RuleContext): Promise<void> {
  const uid = service.metadata.uid;
  if (uid !== undefined && !context.dryRun) await context.allocator.release(uid, heldBy(keeper));
}

/**
 * @param service changed: gets what it needs and does not name
 * @param old absent for a new service
 * @throws StatusError Invalid for what it names and cannot have; InternalError where a range is full, and for a port for health that it names
 */
export async function allocate(service: ApiObject, old: ApiObject | undefined, context: RuleContext): Promise<void> {
  const { spec, metadata } = service;
  const owner = metadata.uid ?? '';
  const held = heldBy(old);
  const errors = settleFamilies(spec, old?.spec);
  let succeeded = false;
  try {
    if (errors.length === 0) errors.push(...(await allocateAddresses(spec, old?.spec, held, owner, context.allocator)));
    if (errors.length === 0) errors.push(...(await allocatePorts(spec, held, owner, context.allocator)));
    succeeded = errors.length === 0;
  } finally {
    // A dry run takes nothing; it has learnt what it could have had.
    if (!succeeded || context.dryRun) await context.allocator.release(owner, held);
  }
  if (errors.length > 0) throw newInvalid({ group: '', kind: 'Service' }, metadata.name ?? '', errors);
}

async function allocateAddresses(spec: Struct, old: Struct, held: Held, owner: string, allocator: Allocator): Promise<FieldError[]> {
  if (!needsAddress(spec) || isHeadless(spec) || (old !== undefined && isHeadless(old))) return [];
  // An address that a service has is only ever changed into itself; validation says so.
  if (old !== undefined && needsAddress(old) && held.addresses.length > 0) return [];
  const given: readonly string[] = spec.clusterIPs ?? [];
  const addresses: string[] = [];
  for (const [index] of ((spec.ipFamilies ?? []) as string[]).entries()) {
    const wanted = given[index] ?? '';
    if (wanted === '') {
      addresses.push(await anyAddress(owner, allocator));
      continue;
    }
    const outcome = await allocator.claimAddress(wanted, owner);
    if (outcome !== 'claimed') {
      const reason = outcome === 'taken' ? TAKEN_ADDRESS : foreignAddress(wanted, allocator);
      return [invalid('spec.clusterIPs', given, `failed to allocate IP ${wanted}: ${reason}`)];
    }
    addresses.push(wanted);
  }
  spec.clusterIPs = addresses;
  spec.clusterIP = addresses[0];
  return [];
}

function foreignAddress(address: string, { addressRange }: Allocator): string {
  return `the provided IP (${address}) is not in the valid range. The range of valid IPs is ${addressRange}`;
}

async function anyAddress(owner: string, allocator: Allocator): Promise<string> {
  const address = await allocator.allocateAddress(owner);
  if (address === undefined) throw newInternalErrorOf(`failed to allocate a serviceIP: ${FULL}`);
  return address;
}

async function allocatePorts(spec: Struct, held: Held, owner: string, allocator: Allocator): Promise<FieldError[]> {
  if (!needsNodePorts(spec)) return [];
  const ports: readonly Struct[] = spec.ports ?? [];
  const byPort = new Map<number, number>();
  for (const { port, nodePort } of [...ports].reverse()) if (nodePort) byPort.set(port, nodePort);
  for (const [index, port] of ports.entries()) {
    // Ports of the same number, for other protocols, share a node port.
    port.nodePort ||= byPort.get(port.port);
    if (port.nodePort) {
      const refusal = await claim(port.nodePort, held, owner, allocator);
      if (refusal !== undefined) return [invalid(`spec.ports[${index}].nodePort`, port.nodePort, refusal)];
    } else if (spec.type === 'NodePort' || spec.allocateLoadBalancerNodePorts !== false) {
      port.nodePort = await anyPort(owner, allocator, 'a nodePort');
      byPort.set(port.port, port.nodePort);
    } else {
      delete port.nodePort;
    }
  }
  return allocateHealthPort(spec, held, owner, allocator);
}

/** @returns why the service cannot have the port */
async function claim(port: number, held: Held, owner: string, allocator: Allocator): Promise<string | undefined> {
  if (held.ports.includes(port)) return undefined;
  const outcome = await allocator.claimPort(port, owner);
  if (outcome === 'outside') return `provided port is not in the valid range. The range of valid ports is ${allocator.portRange}`;
  return outcome === 'taken' ? TAKEN_PORT : undefined;
}

async function allocateHealthPort(spec: Struct, held: Held, owner: string, allocator: Allocator): Promise<FieldError[]> {
  if (!needsHealthPort(spec)) return [];
  if (!spec.healthCheckNodePort) {
    spec.healthCheckNodePort = await anyPort(owner, allocator, 'a HealthCheck NodePort 0');
    return [];
  }
  const refusal = await claim(spec.healthCheckNodePort, held, owner, allocator);
  if (refusal === undefined) return [];
  throw newInternalErrorOf(`failed to allocate requested HealthCheck NodePort ${spec.healthCheckNodePort}: ${refusal}`);
}

async function anyPort(owner: string, allocator: Allocator, noun: string): Promise<number> {
  const port = await allocator.allocatePort(owner);
  if (port === undefined) throw newInternalErrorOf(`failed to allocate ${noun}: ${FULL}`);
  return port;
}
