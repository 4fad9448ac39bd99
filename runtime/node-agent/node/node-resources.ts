/**
 * Computes the capacity of the node, and the part of it that pods may use, which is the capacity less the reservations of the configuration and less the hard
 * eviction thresholds (as in 1.32).
 */
import type { NodeAgentConfiguration } from '../../../generated/nodeagentconfig/v1beta1/types.ts';
import { parseQuantity } from '../../schema/scalar/quantity.ts';
import { ScalarError } from '../../schema/scalar/scalar-error.ts';
import type { ResourceSource } from '../contract/part.ts';
import { amountOf, bytesText, countText, cpuText } from './amounts.ts';
import { type DiskState, type MachineFacts, parseProcessors, type Signal } from './machine.ts';
import { type ConfigurationFault, type Threshold, thresholdIn } from './thresholds.ts';

type Quantities = Readonly<Record<string, string>>;

export interface NodeResources {
  readonly capacity: Quantities;
  readonly allocatable: Quantities;
}

/** Reserved amounts: `cpu` in thousandths of a processor, `memory` and `ephemeral-storage` in bytes, `pid` as a count of processes. */
type Reserved = Readonly<Record<(typeof RESERVABLE)[number], number>>;

const RESERVABLE = ['cpu', 'memory', 'ephemeral-storage', 'pid'] as const;
const FIELDS = ['systemReserved', 'kubeReserved'] as const;

export interface ReservedResources {
  readonly reserved: Reserved;
  readonly faults: readonly ConfigurationFault[];
}

/** Sums up what the configuration reserves. `reservedSystemCPUs` replaces all other reservations of processors. @returns the sums, and all that is wrong */
export function readReserved(configuration: NodeAgentConfiguration): ReservedResources {
  const faults: ConfigurationFault[] = [];
  const reserved = { cpu: 0, memory: 0, 'ephemeral-storage': 0, pid: 0 };
  for (const field of FIELDS)
    for (const [name, text] of Object.entries(configuration[field] ?? {})) {
      const amount = reservedAmount(name, text);
      if (typeof amount === 'string') faults.push({ path: [field, name], problem: amount });
      else reserved[name as keyof Reserved] += name === 'cpu' ? amount * 1_000 : amount;
    }
  const { reservedSystemCPUs: named = '' } = configuration;
  if (named !== '') {
    const processors = parseProcessors(named);
    if (processors === undefined)
      faults.push({ path: ['reservedSystemCPUs'], problem: `${JSON.stringify(named)} is no list of processors such as 0-1,4` });
    else reserved.cpu = processors.size * 1_000;
  }
  return { reserved, faults };
}

/** @returns the amount in whole processors, bytes or processes; or a text that tells what is wrong */
function reservedAmount(name: string, text: string): number | string {
  if (!(RESERVABLE as readonly string[]).includes(name)) return `cannot reserve ${JSON.stringify(name)} resource`;
  try {
    const amount = amountOf(parseQuantity(text));
    return amount < 0 ? `resource quantity for ${JSON.stringify(name)} cannot be negative: ${text}` : amount;
  } catch (error) {
    if (error instanceof ScalarError) return error.message;
    throw error;
  }
}

/** Finds the resources of which more is reserved than the machine has. */
export function reservationFaults({ reserved }: ReservedResources, facts: MachineFacts, disk: DiskState | undefined): ConfigurationFault[] {
  const there = { cpu: facts.cpu, memory: facts.memory, 'ephemeral-storage': disk?.space.capacity ?? 0 };
  return (['cpu', 'memory', 'ephemeral-storage'] as const)
    .filter((name) => reserved[name] > there[name])
    .map((name) => ({
      path: [],
      problem:
        `Resource ${JSON.stringify(name)} has a reservation of ${amountText(name, reserved[name])} but capacity of ${amountText(name, there[name])}. ` +
        'Expected capacity >= reservation.',
    }));
}

export interface ResourceInputs {
  readonly configuration: NodeAgentConfiguration;
  readonly facts: MachineFacts;
  /** undefined if the disk cannot be measured, or if the configuration says that nobody counts it (`localStorageCapacityIsolation: false`) */
  readonly disk: DiskState | undefined;
  readonly reserved: Reserved;
  readonly thresholds: readonly Threshold[];
  /** the parts of the agent that provide resources, such as devices */
  readonly sources: readonly ResourceSource[];
}

/** Computes both maps of quantities. Huge pages are not part of the memory that pods may use. */
export function nodeResources({ configuration, facts, disk, reserved, thresholds, sources }: ResourceInputs): NodeResources {
  const capacity: Record<string, string> = { cpu: cpuText(facts.cpu), memory: bytesText(facts.memory) };
  const allocatable: Record<string, string> = { cpu: cpuText(facts.cpu - reserved.cpu) };
  const kept = (signal: Signal, size: number): number => {
    const hard = thresholds.find((each) => each.signal === signal && each.isHard);
    return hard === undefined ? 0 : thresholdIn(hard.amount, size);
  };
  let memory = facts.memory - reserved.memory - kept('memory.available', facts.memory);
  for (const [name, size] of Object.entries(facts.hugePages)) {
    capacity[name] = bytesText(size);
    allocatable[name] = bytesText(size);
    memory -= size;
  }
  allocatable.memory = bytesText(memory);
  if (disk !== undefined) {
    const { capacity: size } = disk.space;
    capacity['ephemeral-storage'] = bytesText(size);
    allocatable['ephemeral-storage'] = countText(size - reserved['ephemeral-storage'] - kept('nodefs.available', size));
  }
  capacity.pods = allocatable.pods = countText(podsOf(configuration, facts));
  for (const source of sources)
    for (const [name, amounts] of Object.entries(source.resources())) {
      capacity[name] = countText(amounts.capacity);
      allocatable[name] = countText(amounts.allocatable);
    }
  return { capacity, allocatable };
}

function podsOf({ maxPods = 0, podsPerCore = 0 }: NodeAgentConfiguration, { cpu }: MachineFacts): number {
  return podsPerCore > 0 ? Math.min(Math.floor(cpu / 1_000) * podsPerCore, maxPods) : maxPods;
}

const amountText = (name: string, amount: number): string => (name === 'cpu' ? cpuText(amount) : bytesText(amount));
