/** Compares the node's status at the server with the wanted one, and makes the patch from one to the other. What others have written into the status stays. */
import type { Node, NodeStatus } from '../../../generated/client/core/v1/types.ts';
import type { StrategicMergePatch } from '../../client/objects/patches.ts';
import { isExtendedResource } from '../../formats/resource-names.ts';
import { deepEqual } from '../../schema/equal.ts';
import { canonicalResourceQuantity } from '../../schema/scalar/quantity.ts';
import type { WantedStatus } from './node-status.ts';

const QUANTITIES = ['capacity', 'allocatable'] as const;

/** Tells whether the server has the wanted status, apart from the times of conditions. */
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
 * Adds to the wanted status the extended resources that others have put into the node's capacity. They stay, and pods may use all of them, as in 1.32.
 * @param node the node at the server; undefined if it is not known
 * @param labelDomain the dialect's domain of labels, whose resources are not extended ones
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

/**
 * Makes a strategic merge patch: it merges conditions by their types, removes the resources that are gone, and replaces all addresses.
 * @param node the node at the server, which has the resources to remove; undefined if it is not known
 */
export function statusPatch(node: Node | undefined, status: NodeStatus): StrategicMergePatch<Node> {
  const lists = QUANTITIES.map((list) => {
    const gone = Object.keys(node?.status?.[list] ?? {}).filter((name) => status[list]?.[name] === undefined);
    return [list, { ...status[list], ...Object.fromEntries(gone.map((name) => [name, null])) }] as const;
  });
  return {
    status: { ...status, ...Object.fromEntries(lists), addresses: [...(status.addresses ?? []), { $patch: 'replace' }] },
  } as StrategicMergePatch<Node>;
}
