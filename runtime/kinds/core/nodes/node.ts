import type { Node, NodeAddress, NodeSpec, NodeStatus } from '../../../../generated/core/v1/types.ts';
import { duplicate, type FieldError, forbidden } from '../../../contract/field-error.ts';
import type { KindRules, RuleContext } from '../../../contract/kind-rules.ts';
import { foundInEach, joined, NONE } from '../../../validation/joined.ts';
import { atPath } from '../../findings.ts';
import { validateOnePerFamily } from '../addresses.ts';
import { validateQuantity } from '../resource-amounts/quantities.ts';
import { validateTaints } from '../scheduling/scheduling.ts';
import { annotations } from './node-annotations.ts';

/** The first of the ranges has a member of its own; writers know one form or the other. */
function alignRanges({ spec }: Node): void {
  if (!spec) return;
  const [first] = spec.podCIDRs ?? [];
  if (spec.podCIDR && first !== spec.podCIDR) spec.podCIDRs = [spec.podCIDR];
  else if (!spec.podCIDR && first) spec.podCIDR = first;
}

export function resources(status: NodeStatus, _old: unknown, context: RuleContext): readonly FieldError[] {
  return (['capacity', 'allocatable'] as const).flatMap((list) =>
    Object.entries(status[list] ?? {}).flatMap(([name, amount]) => validateQuantity(name, amount, `.${list}.${name}`, context)),
  );
}

export function onePerFamily(ranges: readonly string[]): readonly FieldError[] {
  return validateOnePerFamily(ranges, '', ranges, 'CIDR');
}

/** Of changes of the node and of its status. In the former 1.32 looks at annotations, resources and taints twice. */
export function changes(node: Node, old: Node | undefined, context: RuleContext): readonly FieldError[] {
  const { spec = {}, status = {} } = node;
  return joined(
    annotations(node, undefined, context),
    atPath(resources(status, undefined, context), '.status'),
    repeatedAddresses(status.addresses),
    changedMembers(spec, old?.spec ?? {}).map(([path, member]) =>
      forbidden(path, `node updates may not change ${member} except from "" to valid`),
    ),
    validateTaints(spec.taints, '.metadata.taints'),
  );
}

function repeatedAddresses(addresses: readonly NodeAddress[] | undefined): readonly FieldError[] {
  const seen = new Set<string>();
  return foundInEach(addresses, (address, index) => {
    const key = `${address.type} ${address.address}`;
    if (seen.has(key)) return [duplicate(`.status.addresses[${index}]`, address)];
    seen.add(key);
    return NONE;
  });
}

/** Paths and names of members that are given to a node once; ranges are counted where as many of them are others. */
function changedMembers(spec: NodeSpec, old: NodeSpec): [string, string][] {
  const [ranges, before] = [spec.podCIDRs ?? [], old.podCIDRs ?? []];
  const others = before.filter((range, index) => range !== ranges[index]).length;
  const count = ranges.length === before.length || before.length === 0 ? others : 1;
  return [
    ...Array.from({ length: count }, (): [string, string] => ['.spec.podCIDRs', 'podCIDR']),
    ...(old.providerID && spec.providerID !== old.providerID ? [['.spec.providerID', 'providerID'] satisfies [string, string]] : []),
  ];
}

function dropConfig({ spec }: Node): void {
  delete spec?.configSource;
}

export const rules: KindRules<Node> = {
  defaults: alignRanges,
  prepareForCreate: dropConfig,
  prepareForUpdate: dropConfig,
  warnings: ({ spec }) => [
    ...(spec?.configSource === undefined ? [] : ['spec.configSource: the feature is no longer supported']),
    ...(spec?.externalID ? ['spec.externalID: this field is deprecated, and is unused by Kubernetes'] : []),
  ],
  selectableField: ({ spec }, path) => (path === 'spec.unschedulable' ? String(spec?.unschedulable ?? false) : undefined),
};
