import type { NodeAddress, NodeSpec, NodeStatus } from '../../../generated/core/v1/types.ts';
import { duplicate, type FieldError, forbidden } from '../../contract/field-error.ts';
import type { KindRules, RuleContext } from '../../contract/kind.ts';
import type { ApiObject } from '../../contract/object.ts';
import { ipRange } from '../../formats/addresses.ts';
import { validateOnePerFamily } from './addresses.ts';
import { eachItem, invalidAs } from './findings.ts';
import { validateNodeAnnotations } from './node-annotations.ts';
import { validateQuantity } from './quantities.ts';
import { validateTaints } from './scheduling.ts';

/** The first of the ranges has a member of its own; writers know one form or the other. */
function alignRanges({ spec }: ApiObject): void {
  if (!spec) return;
  const ranges: readonly string[] = spec.podCIDRs ?? [];
  if (spec.podCIDR && ranges[0] !== spec.podCIDR) spec.podCIDRs = [spec.podCIDR];
  else if (!spec.podCIDR && ranges[0]) spec.podCIDR = ranges[0];
}

function validate({ metadata, spec, status }: ApiObject, context: RuleContext): readonly FieldError[] {
  return [
    ...validateNodeAnnotations(metadata.annotations, context),
    // 1.32 looks for them among the metadata.
    ...validateTaints(spec?.taints, 'metadata.taints'),
    ...validateResources(status, context),
    ...validatePodRanges(spec?.podCIDRs ?? []),
  ];
}

function validateResources(status: NodeStatus | undefined, context: RuleContext): readonly FieldError[] {
  return (['capacity', 'allocatable'] as const).flatMap((list) =>
    Object.entries(status?.[list] ?? {}).flatMap(([name, quantity]) => validateQuantity(name, quantity, `status.${list}.${name}`, context)),
  );
}

function validatePodRanges(ranges: readonly string[]): readonly FieldError[] {
  const path = 'spec.podCIDRs';
  const seen = new Set<string>();
  return [
    ...eachItem(ranges, path, (range, at) => invalidAs(ipRange(range), at, range)),
    ...validateOnePerFamily(ranges, path, ranges, 'CIDR'),
    ...eachItem(ranges, path, (range, at) => {
      if (seen.has(range)) return [duplicate(at, range)];
      seen.add(range);
      return [];
    }),
  ];
}

const keeps = (member: string): string => `node updates may not change ${member} except from "" to valid`;

/** Of changes of the node and of its status. In the former 1.32 looks at annotations, resources and taints twice. */
function validateChange({ metadata, spec, status }: ApiObject, old: ApiObject, context: RuleContext): readonly FieldError[] {
  const before: NodeSpec = old.spec ?? {};
  return [
    ...validateNodeAnnotations(metadata.annotations, context),
    ...validateResources(status, context),
    ...validateAddresses(status?.addresses),
    ...validateRangesKept(spec?.podCIDRs ?? [], before.podCIDRs ?? []),
    ...(before.providerID && spec?.providerID !== before.providerID ? [forbidden('spec.providerID', keeps('providerID'))] : []),
    ...validateTaints(spec?.taints, 'metadata.taints'),
    ...((spec?.externalID ?? '') === (before.externalID ?? '') ? [] : [forbidden('spec.externalID', 'may not be updated')]),
  ];
}

function validateAddresses(addresses: readonly NodeAddress[] | undefined): readonly FieldError[] {
  const seen = new Set<string>();
  return eachItem(addresses, 'status.addresses', (address, at) => {
    const key = `${address.type} ${address.address}`;
    if (seen.has(key)) return [duplicate(at, address)];
    seen.add(key);
    return [];
  });
}

function validateRangesKept(ranges: readonly string[], old: readonly string[]): readonly FieldError[] {
  if (old.length === 0) return [];
  const error = forbidden('spec.podCIDRs', keeps('podCIDR'));
  if (ranges.length !== old.length) return [error];
  return old.filter((range, index) => range !== ranges[index]).map(() => error);
}

function dropConfig(object: ApiObject): void {
  delete object.spec?.configSource;
}

export const rules: KindRules = {
  defaults: alignRanges,
  prepareForCreate: dropConfig,
  prepareForUpdate: dropConfig,
  validate,
  validateUpdate: validateChange,
  validateStatusUpdate: validateChange,
  warnings: ({ spec }) => [
    ...(spec?.configSource === undefined ? [] : ['spec.configSource: the feature is no longer supported']),
    ...(spec?.externalID ? ['spec.externalID: this field is deprecated, and is unused by Kubernetes'] : []),
  ],
  selectableField: ({ spec }, path) => (path === 'spec.unschedulable' ? String(spec?.unschedulable ?? false) : undefined),
};
