/**
 * Addresses and node ports of services. They are taken before the service is validated and written, under the uid of the service, and are
 * given back when that fails; what an update no longer uses is given back when it is written.
 */
import { type FieldError, invalid } from '../../contract/field-error.ts';
import type { Allocations, Allocator, RuleContext } from '../../contract/kind.ts';
import type { ApiObject } from '../../contract/object.ts';
import { newInternalErrorOf, newInvalid } from '../../status/status.ts';
import type { Struct } from '../struct.ts';
import { settleFamilies } from './service-families.ts';
import { isHeadless, needsAddress, needsHealthPort, needsNodePorts, nodePortsOf } from './service-spec.ts';

const TAKEN_ADDRESS = 'provided IP is already allocated';
const TAKEN_PORT = 'provided port is already allocated';
const FULL = 'range is full';

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

/** Gives back all that the service has but what `keeper`, another state of it, has as well. */
export async function releaseAllBut(keeper: ApiObject | undefined, service: ApiObject, context: RuleContext): Promise<void> {
  const uid = service.metadata.uid;
  if (uid === undefined || context.dryRun) return;
  const [kept, held] = [heldBy(keeper), heldBy(service)];
  await context.allocator.release(uid, {
    addresses: held.addresses.filter((address) => !kept.addresses.includes(address)),
    ports: held.ports.filter((port) => !kept.ports.includes(port)),
  });
}

/** What is taken for one write of a service, so that it can be given back. */
class Taking {
  readonly #owner: string;
  readonly #allocator: Allocator;
  readonly #addresses: string[] = [];
  readonly #ports: number[] = [];

  constructor(owner: string, allocator: Allocator) {
    this.#owner = owner;
    this.#allocator = allocator;
  }

  /** @throws StatusError InternalError where there is none */
  async anyAddress(): Promise<string> {
    const address = await this.#allocator.allocateAddress(this.#owner);
    if (address === undefined) throw newInternalErrorOf(`failed to allocate a serviceIP: ${FULL}`);
    this.#addresses.push(address);
    return address;
  }

  /** @returns why the service cannot have the address */
  async claimAddress(address: string): Promise<string | undefined> {
    const { addressRange } = this.#allocator;
    const outcome = await this.#allocator.claimAddress(address, this.#owner);
    if (outcome === 'claimed') this.#addresses.push(address);
    if (outcome === 'outside') return `the provided IP (${address}) is not in the valid range. The range of valid IPs is ${addressRange}`;
    return outcome === 'taken' ? TAKEN_ADDRESS : undefined;
  }

  /** @throws StatusError InternalError where there is none */
  async anyPort(noun: string): Promise<number> {
    const port = await this.#allocator.allocatePort(this.#owner);
    if (port === undefined) throw newInternalErrorOf(`failed to allocate ${noun}: ${FULL}`);
    this.#ports.push(port);
    return port;
  }

  /** @returns why the service cannot have the port */
  async claimPort(port: number): Promise<string | undefined> {
    const { portRange } = this.#allocator;
    const outcome = await this.#allocator.claimPort(port, this.#owner);
    if (outcome === 'claimed') this.#ports.push(port);
    if (outcome === 'outside') return `provided port is not in the valid range. The range of valid ports is ${portRange}`;
    return outcome === 'taken' ? TAKEN_PORT : undefined;
  }

  giveBack(): Promise<void> {
    return this.#allocator.release(this.#owner, { addresses: this.#addresses, ports: this.#ports });
  }
}

/**
 * @param service changed: gets what it needs and does not name
 * @param old absent for a new service
 * @throws StatusError Invalid for what it names and cannot have; InternalError where a range is full, and for a port for health that it names
 */
export async function allocate(service: ApiObject, old: ApiObject | undefined, context: RuleContext): Promise<void> {
  const { spec, metadata } = service;
  const held = heldBy(old);
  const taking = new Taking(metadata.uid ?? '', context.allocator);
  const errors = [...settleFamilies(spec, old?.spec)];
  let succeeded = false;
  try {
    if (errors.length === 0) errors.push(...(await allocateAddresses(spec, old?.spec, held, taking)));
    if (errors.length === 0) errors.push(...(await allocatePorts(spec, held, taking)));
    succeeded = errors.length === 0;
  } finally {
    // A dry run takes nothing; it has learnt what it could have had.
    if (!succeeded || context.dryRun) await taking.giveBack();
  }
  if (errors.length > 0) throw newInvalid({ group: '', kind: 'Service' }, metadata.name ?? '', errors);
}

async function allocateAddresses(spec: Struct, old: Struct, held: Allocations, taking: Taking): Promise<FieldError[]> {
  if (!needsAddress(spec) || isHeadless(spec) || (old !== undefined && isHeadless(old))) return [];
  // An address that a service has is only ever changed into itself; validation says so.
  if (old !== undefined && needsAddress(old) && held.addresses.length > 0) return [];
  const given: readonly string[] = spec.clusterIPs ?? [];
  const addresses: string[] = [];
  for (const [index] of ((spec.ipFamilies ?? []) as string[]).entries()) {
    const wanted = given[index] ?? '';
    const refusal = wanted === '' ? undefined : await taking.claimAddress(wanted);
    if (refusal !== undefined) return [invalid('spec.clusterIPs', given, `failed to allocate IP ${wanted}: ${refusal}`)];
    addresses.push(wanted || (await taking.anyAddress()));
  }
  spec.clusterIPs = addresses;
  spec.clusterIP = addresses[0];
  return [];
}

async function allocatePorts(spec: Struct, held: Allocations, taking: Taking): Promise<FieldError[]> {
  if (!needsNodePorts(spec)) return [];
  const ports: readonly Struct[] = spec.ports ?? [];
  const byPort = new Map<number, number>();
  for (const { port, nodePort } of [...ports].reverse()) if (nodePort) byPort.set(port, nodePort);
  for (const [index, port] of ports.entries()) {
    // Ports of the same number, for other protocols, share a node port.
    port.nodePort ||= byPort.get(port.port);
    if (port.nodePort) {
      const refusal = await claim(port.nodePort, held, taking);
      if (refusal !== undefined) return [invalid(`spec.ports[${index}].nodePort`, port.nodePort, refusal)];
    } else if (spec.type === 'NodePort' || spec.allocateLoadBalancerNodePorts !== false) {
      port.nodePort = await taking.anyPort('a nodePort');
      byPort.set(port.port, port.nodePort);
    } else {
      delete port.nodePort;
    }
  }
  return allocateHealthPort(spec, held, taking);
}

/** @returns why the service cannot have the port */
async function claim(port: number, held: Allocations, taking: Taking): Promise<string | undefined> {
  return held.ports.includes(port) ? undefined : taking.claimPort(port);
}

async function allocateHealthPort(spec: Struct, held: Allocations, taking: Taking): Promise<FieldError[]> {
  if (!needsHealthPort(spec)) return [];
  if (!spec.healthCheckNodePort) {
    spec.healthCheckNodePort = await taking.anyPort('a HealthCheck NodePort 0');
    return [];
  }
  const refusal = await claim(spec.healthCheckNodePort, held, taking);
  if (refusal === undefined) return [];
  throw newInternalErrorOf(`failed to allocate requested HealthCheck NodePort ${spec.healthCheckNodePort}: ${refusal}`);
}
