/** Families of a service's addresses: what it asks for, and what the cluster's range of addresses can give. */
import type { ServiceSpec } from '../../../../generated/core/v1/types.ts';
import { type FieldError, invalid } from '../../../contract/field-error.ts';
import { familyOf } from '../../../formats/addresses.ts';
import { atPath } from '../../findings.ts';
import { clusterAddresses } from './service-addresses.ts';
import { NO_ADDRESS, needsAddress, sameList } from './service-spec.ts';

const POLICY = 'spec.ipFamilyPolicy';
const SINGLE = 'SingleStack';

/** Families of the cluster's ranges, its own first. */
type Configured = readonly string[];
/** Addresses that a service has are of either. */
export const BOTH_FAMILIES: Configured = ['IPv4', 'IPv6'];

type Families = NonNullable<ServiceSpec['ipFamilies']>;

/**
 * Fills in the policy and the families that a service leaves out.
 * @param spec changed
 * @param old absent for a new service
 * @returns what keeps the service from getting addresses
 */
export function settleFamilies(spec: ServiceSpec, old: ServiceSpec | undefined, configured: Configured): readonly FieldError[] {
  if (!needsAddress(spec) || keepsPreference(spec, old)) return [];
  const headlessAlone = spec.clusterIP === NO_ADDRESS && Object.keys(spec.selector ?? {}).length === 0;
  // A service whose endpoints someone else makes may have them of any family.
  spec.ipFamilyPolicy ??= old?.ipFamilyPolicy ?? (headlessAlone ? 'RequireDualStack' : SINGLE);
  const errors = atPath(clusterAddresses(spec), 'spec');
  if (errors.length > 0) return errors;
  if (old !== undefined) settleReduction(spec, old);
  const conflicts = [...policyConflicts(spec, old), ...inferFamilies(spec, configured)];
  if (conflicts.length > 0) return conflicts;
  const unavailable = headlessAlone ? [] : unavailableFamilies(spec, configured);
  if (unavailable.length === 0) spec.ipFamilies = wantedFamilies(spec, configured, headlessAlone || configured.length > 1);
  return unavailable;
}

/** A service that takes what there is keeps what it got, whatever the cluster could give now. */
function keepsPreference(spec: ServiceSpec, old: ServiceSpec | undefined): boolean {
  const prefers = (policy: string | undefined): boolean => policy === undefined || policy === 'PreferDualStack';
  return (
    old !== undefined &&
    spec.ipFamilyPolicy === 'PreferDualStack' &&
    spec.type === old.type &&
    prefers(old.ipFamilyPolicy) &&
    sameList(spec.clusterIPs, old.clusterIPs) &&
    sameList(spec.ipFamilies, old.ipFamilies)
  );
}

const LISTS = [
  { list: 'clusterIPs', noun: 'cluster IPs', second: 'cluster IP' },
  { list: 'ipFamilies', noun: 'IP families', second: 'IP family' },
] as const;

/** A service gives its second address back by asking for one only. */
function settleReduction(spec: ServiceSpec, old: ServiceSpec): void {
  if (spec.ipFamilyPolicy !== SINGLE) return;
  if (spec.clusterIPs !== undefined && sameList(spec.clusterIPs, old.clusterIPs)) spec.clusterIPs = spec.clusterIPs.slice(0, 1);
  if (spec.ipFamilies !== undefined && sameList(spec.ipFamilies, old.ipFamilies)) spec.ipFamilies = spec.ipFamilies.slice(0, 1);
}

/** One address alone does not go with lists of two, and two are not given back without saying so. */
function policyConflicts(spec: ServiceSpec, old: ServiceSpec | undefined): readonly FieldError[] {
  const { ipFamilyPolicy: policy } = spec;
  const isSingle = policy === SINGLE;
  return LISTS.filter(({ list }) => {
    const count = (spec[list] ?? []).length;
    return isSingle ? count === 2 : count > 0 && count < (old?.[list] ?? []).length;
  }).map(({ noun, second }) => {
    const several = `must be 'RequireDualStack' or 'PreferDualStack' when multiple ${noun} are specified`;
    return invalid(POLICY, policy, isSingle ? several : `must be 'SingleStack' to release the secondary ${second}`);
  });
}

/** Addresses that the service names say their families. */
function inferFamilies(spec: ServiceSpec, configured: Configured): readonly FieldError[] {
  const families = [...(spec.ipFamilies ?? [])];
  const errors: FieldError[] = [];
  for (const [index, address] of (spec.clusterIPs ?? []).entries()) {
    if (address === NO_ADDRESS) break;
    const family = familyOf(address);
    if (index < families.length || family === undefined) continue;
    if (configured.includes(family)) families.push(family);
    else errors.push(invalid(`spec.clusterIPs[${index}]`, spec.clusterIPs, `${family} is not configured on this cluster`));
  }
  if (families.length > 0) spec.ipFamilies = families;
  return errors;
}

function wantedFamilies({ ipFamilies = [], ipFamilyPolicy }: ServiceSpec, configured: Configured, mayBeBoth: boolean): Families {
  const families = ipFamilies.length > 0 ? ipFamilies : (configured.slice(0, 1) as Families);
  if (!mayBeBoth || families.length > 1 || ipFamilyPolicy === SINGLE) return families;
  return [...families, families[0] === 'IPv4' ? 'IPv6' : 'IPv4'];
}

function unavailableFamilies({ ipFamilies, ipFamilyPolicy }: ServiceSpec, configured: Configured): readonly FieldError[] {
  const errors: FieldError[] = [];
  if (ipFamilyPolicy === 'RequireDualStack' && configured.length < 2)
    errors.push(invalid(POLICY, ipFamilyPolicy, 'this cluster is not configured for dual-stack services'));
  for (const [index, family] of (ipFamilies ?? []).entries())
    if (!configured.includes(family)) errors.push(invalid(`spec.ipFamilies[${index}]`, family, 'not configured on this cluster'));
  return errors;
}
