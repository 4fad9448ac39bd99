/** Whether the server has the status as it is to be, and the patch that makes it so. What others have written into it stays. */
import type { Node, NodeStatus } from '../../../generated/client/core/v1/types.ts';
import type { StrategicMergePatch } from '../../client/objects/patches.ts';
import { isExtendedResource } from '../../formats/resource-names.ts';
import { deepEqual } from '../../schema/equal.ts';
import { canonicalResourceQuantity } from '../../schema/scalar/quantity.ts';
import type { WantedStatus } from './node-status.ts';

const QUANTITIES = ['capacity', 'allocatable'] as const;

/** Times do not count. */
export function isReported({ status = {} }: Node, { conditions, rest }: WantedStatus): boolean {
  const known = status.conditions ?? [];
  const hasCondition = conditions.every((wanted) =>
    known.some(
      (each) =>
        each.type === wanted.type && each.status === wanted.status && each.reason === wanted.reason && each.message === wanted.message,
    ),
  );
  return (
    hasCondition &&
    QUANTITIES.every((list) => sameQuantities(status[list], rest[list])) &&
    deepEqual(status.addresses, rest.addresses) &&
    deepEqual(status.daemonEndpoints, rest.daemonEndpoints) &&
    deepEqual(status.nodeInfo, rest.nodeInfo)
  );
}

type Quantities = Readonly<Record<string, string>>;

function sameQuantities(there: Quantities = {}, wanted: Quantities = {}): boolean {
  const names = Object.keys(wanted);
  return (
    names.length === Object.keys(there).length &&
    names.every((name) => canonicalResourceQuantity(there[name] ?? '') === canonicalResourceQuantity(wanted[name] as string))
  );
}

/**
 * With the extended resources that somebody else has put into the node's capacity: they stay, and pods may have all of them, as in 1.32.
 * @param labelDomain of the dialect
 */
export function withOthers(wanted: WantedStatus, node: Node | undefined, labelDomain: string): WantedStatus {
  const { capacity = {}, allocatable = {} } = wanted.rest;
  const others = Object.entries(node?.status?.capacity ?? {}).filter(
    ([name]) => capacity[name] === undefined && isExtendedResource(name, labelDomain),
  );
  if (others.length === 0) return wanted;
  const kept = Object.fromEntries(others);
  return { ...wanted, rest: { ...wanted.rest, capacity: { ...capacity, ...kept }, allocatable: { ...allocatable, ...kept } } };
}

/** A strategic merge patch: conditions are merged by their types, resources that are gone are taken out, addresses are all replaced. */
export function statusPatch(node: Node | undefined, status: NodeStatus): StrategicMergePatch<Node> {
  const lists = QUANTITIES.map((list) => {
    const gone = Object.keys(node?.status?.[list] ?? {}).filter((name) => status[list]?.[name] === undefined);
    return [list, { ...status[list], ...Object.fromEntries(gone.map((name) => [name, null])) }] as const;
  });
  return {
    status: { ...status, ...Object.fromEntries(lists), addresses: [...(status.addresses ?? []), { $patch: 'replace' }] },
  } as StrategicMergePatch<Node>;
}
