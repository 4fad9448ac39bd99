/** The quality of service of a pod, by which a node that runs out of memory chooses whom to end. */

import type { Container } from '../../../generated/core/v1/types.ts';
import { addQuantities, compareQuantities, parseQuantity, type Quantity } from '../../schema/scalar/quantity.ts';

export type QosClass = 'Guaranteed' | 'Burstable' | 'BestEffort';

const RESOURCES = ['cpu', 'memory'];

type WithResources = Pick<Partial<Container>, 'resources'>;

interface ContainerLists {
  readonly containers?: readonly WithResources[] | null;
  readonly initContainers?: readonly WithResources[];
}

type Totals = Map<string, Quantity>;

/** Guaranteed: all containers limit cpu and memory, to what they request; best effort: none requests or limits any. */
export function qosClassOf(spec: ContainerLists): QosClass {
  const requests: Totals = new Map();
  const limits: Totals = new Map();
  let guaranteed = true;
  for (const { resources = {} } of [...(spec.initContainers ?? []), ...(spec.containers ?? [])]) {
    addTo(requests, resources.requests);
    const limited = addTo(limits, resources.limits);
    if (limited < RESOURCES.length) guaranteed = false;
  }
  if (requests.size === 0 && limits.size === 0) return 'BestEffort';
  const equal = requests.size === limits.size && [...requests].every(([name, total]) => same(total, limits.get(name)));
  return guaranteed && equal ? 'Guaranteed' : 'Burstable';
}

/** @returns how many of the resources the list has */
function addTo(totals: Totals, list: Readonly<Record<string, string>> | undefined): number {
  let count = 0;
  for (const name of RESOURCES) {
    const text = list?.[name];
    if (text === undefined) continue;
    const quantity = parseQuantity(text);
    if (quantity.unscaled <= 0n) continue;
    const sum = totals.get(name);
    totals.set(name, sum === undefined ? quantity : addQuantities(sum, quantity));
    count++;
  }
  return count;
}

const same = (a: Quantity, b: Quantity | undefined): boolean => b !== undefined && compareQuantities(a, b) === 0;
