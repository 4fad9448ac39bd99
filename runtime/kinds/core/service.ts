import { type FieldError, forbidden } from '../../contract/field-error.ts';
import type { KindRules, RuleContext } from '../../contract/kind.ts';
import type { ApiObject } from '../../contract/object.ts';
import type { Struct } from '../struct.ts';
import { addressWarnings, rangeWarnings } from './address-warnings.ts';
import { allocate, giveBackTaken, releaseAll, releaseUnused } from './service-allocation.ts';
import { alignAddresses, dropUnused, keepAllocated, validateServiceChange } from './service-update.ts';
import { validateBalancerStatus, validateService } from './service-validation.ts';

const HINTS = 'service.${labelDomain}/topology-aware-hints';
const MODE = 'service.${labelDomain}/topology-mode';

async function prepareForCreate(object: ApiObject, context: RuleContext): Promise<void> {
  object.spec ??= {};
  alignAddresses(object.spec, undefined);
  await allocate(object, undefined, context);
  if (validateService(object, context).length > 0) await giveBackTaken(object);
}

async function prepareForUpdate(object: ApiObject, old: ApiObject, context: RuleContext): Promise<void> {
  keepAllocated(object.spec, old.spec);
  alignAddresses(object.spec, old.spec);
  await allocate(object, old, context);
  dropUnused(object, old);
}

function validateStatusUpdate({ spec, status }: ApiObject): readonly FieldError[] {
  const path = 'status.loadBalancer';
  const balancer: Struct = status?.loadBalancer;
  if (spec.type !== 'LoadBalancer' && (balancer?.ingress ?? []).length > 0)
    return [forbidden(`${path}.ingress`, "may only be used when `spec.type` is 'LoadBalancer'")];
  return validateBalancerStatus(balancer, path);
}

function warnings({ metadata, spec }: ApiObject, _old: ApiObject | undefined, context: RuleContext): string[] {
  const [hints, mode] = [context.text(HINTS), context.text(MODE)];
  const external = spec.type === 'ExternalName';
  return [
    ...(metadata.annotations?.[hints] === undefined ? [] : [`annotation ${hints} is deprecated, please use ${mode} instead`]),
    ...addressesWarnings(spec),
    ...(external && (spec.externalIPs ?? []).length > 0 ? ['spec.externalIPs is ignored when spec.type is "ExternalName"'] : []),
    ...(!external && spec.externalName ? ['spec.externalName is ignored when spec.type is not "ExternalName"'] : []),
  ];
}

function addressesWarnings({ clusterIPs, externalIPs, loadBalancerIP, loadBalancerSourceRanges }: Struct): string[] {
  const each = (list: readonly string[] | undefined, member: string, check: (text: string, path: string) => string[]): string[] =>
    (list ?? []).flatMap((text, index) => check(text, `spec.${member}[${index}]`));
  return [
    ...(clusterIPs?.[0] === 'None' ? [] : each(clusterIPs, 'clusterIPs', addressWarnings)),
    ...each(externalIPs, 'externalIPs', addressWarnings),
    ...(loadBalancerIP ? addressWarnings(loadBalancerIP, 'spec.loadBalancerIP') : []),
    ...each(loadBalancerSourceRanges, 'loadBalancerSourceRanges', rangeWarnings),
  ];
}

export const rules: KindRules = {
  defaults({ spec }) {
    if (spec.sessionAffinity === 'None') delete spec.sessionAffinityConfig;
  },
  prepareForCreate,
  prepareForUpdate,
  validate: validateService,
  validateUpdate: (object, old) => validateServiceChange(object.spec, old.spec),
  changesFirst: true,
  validateStatusUpdate,
  warnings,
  afterUpdate: releaseUnused,
  afterFailure: giveBackTaken,
  afterDelete: releaseAll,
};
