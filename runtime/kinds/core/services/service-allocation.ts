/**
 * Addresses and node ports of services. They are taken before the service is validated and written, under the uid of the service, and are
 * given back when that fails; what an update no longer uses is given back when it is written.
 */
import type { Service, ServiceSpec } from '../../../../generated/core/v1/types.ts';
import type { Allocations, Allocator, IpFamily, Taking } from '../../../contract/allocation.ts';
import { type FieldError, invalid } from '../../../contract/field-error.ts';
import type { RuleContext } from '../../../contract/kind-rules.ts';
import { newInternalErrorOf, newInvalid } from '../../../status/status.ts';
import { settleFamilies } from './service-families.ts';
import { NodePorts } from './service-node-ports.ts';
import { heldBy, isHeadless, needsAddress, specOf } from './service-spec.ts';

const TAKEN_ADDRESS = 'provided IP is already allocated';
const FULL = 'range is full';

/** What a write takes, and of what. */
interface Source {
  readonly taking: Taking;
  readonly allocator: Allocator;
}

/** By the object of the write that took it. */
const takings = new WeakMap<Service, Taking>();

/** Gives back what the write of this object has taken. */
export async function giveBackTaken(service: Service): Promise<void> {
  await takings.get(service)?.giveBack();
}

/** Gives back all that the service had before it was updated, and has no longer. */
export async function releaseUnused(service: Service, old: Service, context: RuleContext): Promise<void> {
  if (context.dryRun) return;
  const [kept, held] = [heldBy(service), heldBy(old)];
  const unused = {
    addresses: held.addresses.filter((address) => !kept.addresses.includes(address)),
    ports: held.ports.filter((port) => !kept.ports.includes(port)),
  };
  // What was claimed since is for an update that came after this one.
  await context.allocator.release(old.metadata, unused, Number(service.metadata.resourceVersion));
}

/** Gives back all that a service had that is gone. */
export async function releaseAll(service: Service, context: RuleContext): Promise<void> {
  if (!context.dryRun) await context.allocator.release(service.metadata, heldBy(service));
}

/** @throws StatusError InternalError where there is none */
async function anyAddress(taking: Taking, family: string): Promise<string> {
  const address = await taking.anyAddress(family as IpFamily);
  if (address === undefined) throw newInternalErrorOf(`failed to allocate a serviceIP: ${FULL}`);
  return address;
}

/**
 * @param service changed: gets what it needs and does not name
 * @param old absent for a new service
 * @throws StatusError Invalid for what it names and cannot have; InternalError where a range is full, and for a port for health that it names
 */
export async function allocate(service: Service, old: Service | undefined, context: RuleContext): Promise<void> {
  const { metadata } = service;
  const spec = specOf(service);
  const { allocator } = context;
  const held = heldBy(old);
  const taking = allocator.take(metadata, context);
  takings.set(service, taking);
  const errors = [...settleFamilies(spec, old?.spec, [...allocator.addressRanges.keys()])];
  let succeeded = false;
  try {
    if (errors.length === 0) errors.push(...(await allocateAddresses(spec, old?.spec, held, { taking, allocator })));
    if (errors.length === 0) errors.push(...(await new NodePorts(taking, allocator).allocate(spec, old?.spec)));
    succeeded = errors.length === 0;
  } finally {
    // A dry run takes nothing; it has learnt what it could have had.
    if (!succeeded || context.dryRun) await taking.giveBack();
  }
  if (errors.length > 0) throw newInvalid({ group: '', kind: 'Service' }, metadata.name ?? '', errors);
}

async function allocateAddresses(
  spec: ServiceSpec,
  old: ServiceSpec | undefined,
  held: Allocations,
  source: Source,
): Promise<FieldError[]> {
  if (!needsAddress(spec) || isHeadless(spec) || (old !== undefined && isHeadless(old))) return [];
  // An address that a service has is only ever changed into itself; validation says so.
  const keeps = old !== undefined && needsAddress(old) && held.addresses.length > 0;
  const families = spec.ipFamilies ?? [];
  if (keeps && families.length <= (old.ipFamilies ?? []).length) return [];
  const given = spec.clusterIPs ?? [];
  const addresses = keeps ? given.slice(0, 1) : [];
  for (const [index, family] of families.entries()) {
    if (index < addresses.length) continue;
    const wanted = given[index] ?? '';
    const refusal = wanted === '' ? undefined : await claimAddress(wanted, source);
    if (refusal !== undefined) return [invalid('spec.clusterIPs', given, `failed to allocate IP ${wanted}: ${refusal}`)];
    addresses.push(wanted || (await anyAddress(source.taking, family)));
  }
  spec.clusterIPs = addresses;
  spec.clusterIP = addresses[0] as string;
  return [];
}

/** @returns why the service cannot have the address */
async function claimAddress(address: string, { taking, allocator }: Source): Promise<string | undefined> {
  const outcome = await taking.address(address);
  if (outcome === 'outside') return allocator.outside(address);
  return outcome === 'taken' ? TAKEN_ADDRESS : undefined;
}
