import type { Service, ServiceSpec } from '../../../../generated/core/v1/types.ts';
import type { KindRules, RuleContext } from '../../../contract/kind-rules.ts';
import { addressWarnings, rangeWarnings } from '../address-warnings.ts';
import { allocate, giveBackTaken, releaseAll, releaseUnused } from './service-allocation.ts';
import { BOTH_FAMILIES, settleFamilies } from './service-families.ts';
import { specOf } from './service-spec.ts';
import { alignAddresses, dropUnused, hideTrafficPolicy, keepAllocated } from './service-update.ts';
import { HINTS, MODE } from './service-validation.ts';

async function prepareForCreate(service: Service, context: RuleContext): Promise<void> {
  alignAddresses(specOf(service), undefined);
  hideTrafficPolicy(specOf(service));
  await allocate(service, undefined, context);
}

/** Releases before 1.20 stored one address and said nothing of families, others a policy for aliases; 1.32 reads what they stored as it would have been stored since. */
function completeStored(service: Service): void {
  const spec = specOf(service);
  alignAddresses(spec, undefined);
  hideTrafficPolicy(spec);
  if ((spec.ipFamilies ?? []).length === 0) settleFamilies(spec, undefined, BOTH_FAMILIES);
}

async function prepareForUpdate(service: Service, old: Service, context: RuleContext): Promise<void> {
  keepAllocated(specOf(service), specOf(old));
  alignAddresses(specOf(service), specOf(old));
  await allocate(service, old, context);
  dropUnused(service, old);
}

function warnings(service: Service, _old: Service | undefined, context: RuleContext): string[] {
  const [hints, mode] = [context.text(HINTS), context.text(MODE)];
  const spec = specOf(service);
  const external = spec.type === 'ExternalName';
  return [
    ...(service.metadata.annotations?.[hints] === undefined ? [] : [`annotation ${hints} is deprecated, please use ${mode} instead`]),
    ...addressesWarnings(spec),
    ...(external && (spec.externalIPs ?? []).length > 0 ? ['spec.externalIPs is ignored when spec.type is "ExternalName"'] : []),
    ...(!external && spec.externalName ? ['spec.externalName is ignored when spec.type is not "ExternalName"'] : []),
  ];
}

function addressesWarnings({ clusterIPs, externalIPs, loadBalancerIP, loadBalancerSourceRanges }: ServiceSpec): string[] {
  const each = (list: readonly string[] | undefined, member: string, check: (text: string, path: string) => string[]): string[] =>
    (list ?? []).flatMap((text, index) => check(text, `spec.${member}[${index}]`));
  return [
    ...(clusterIPs?.[0] === 'None' ? [] : each(clusterIPs, 'clusterIPs', addressWarnings)),
    ...each(externalIPs, 'externalIPs', addressWarnings),
    ...(loadBalancerIP ? addressWarnings(loadBalancerIP, 'spec.loadBalancerIP') : []),
    ...each(loadBalancerSourceRanges, 'loadBalancerSourceRanges', rangeWarnings),
  ];
}

export const rules: KindRules<Service> = {
  defaults({ spec }) {
    if (spec?.sessionAffinity === 'None') delete spec.sessionAffinityConfig;
  },
  completeStored,
  prepareForCreate,
  prepareForUpdate,
  changesFirst: true,
  warnings,
  afterUpdate: releaseUnused,
  afterFailure: giveBackTaken,
  afterDelete: releaseAll,
};
