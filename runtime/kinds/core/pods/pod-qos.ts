/** The quality of service of a pod, by which a node that runs out of memory chooses whom to end. */

import type { Container } from '../../../../generated/core/v1/types.ts';
import type { RuleContext } from '../../../contract/kind-rules.ts';
import { addQuantities, compareQuantities, parseQuantity, type Quantity } from '../../../schema/scalar/quantity.ts';

export type QosClass = 'Guaranteed' | 'Burstable' | 'BestEffort';

const RESOURCES = ['cpu', 'memory'];

type WithResources = Pick<Partial<Container>, 'resources'>;

interface ContainerLists extends WithResources {
  readonly containers?: readonly WithResources[] | null;
  readonly initContainers?: readonly WithResources[];
}

/** By the places of `RESOURCES`; undefined: none of that. */
type Totals = (Quantity | undefined)[];

/** Guaranteed: all containers, or the pod as a whole, limit cpu and memory, to what they request; best effort: none requests or limits any. */
export function qosClassOf(spec: ContainerLists, { featureEnabled }: Pick<RuleContext, 'featureEnabled'>): QosClass {
  const isWhole = spec.resources !== undefined && featureEnabled('PodLevelResources');
  const requests: Totals = [undefined, undefined];
  const limits: Totals = [undefined, undefined];
  let guaranteed = true;
  for (const { resources } of isWhole ? [spec] : [...(spec.initContainers ?? []), ...(spec.containers ?? [])]) {
    addTo(requests, resources?.requests);
    if (addTo(limits, resources?.limits) < RESOURCES.length) guaranteed = false;
  }
  if ([...requests, ...limits].every((total) => total === undefined)) return 'BestEffort';
  return guaranteed && requests.every((total, at) => same(total, limits[at])) ? 'Guaranteed' : 'Burstable';
}

/** @returns how many of the resources the list has */
function addTo(totals: Totals, list: Readonly<Record<string, string>> | undefined): number {
  let count = 0;
  for (let at = 0; at < RESOURCES.length; at++) {
    const text = list?.[RESOURCES[at] as string];
    if (text === undefined) continue;
    const quantity = parseQuantity(text);
    if (quantity.unscaled <= 0n) continue;
    const sum = totals[at];
    totals[at] = sum === undefined ? quantity : addQuantities(sum, quantity);
    count++;
  }
  return count;
}

const same = (a?: Quantity, b?: Quantity): boolean => a === b || (a !== undefined && b !== undefined && compareQuantities(a, b) === 0);
