/** Families of a service's addresses: what it asks for, and what the cluster's range of addresses can give. */
import { type FieldError, invalid } from '../../contract/field-error.ts';
import { familyOf, type IpFamily } from '../../formats/addresses.ts';
import type { Struct } from '../struct.ts';
import { NO_ADDRESS, needsAddress, sameList } from './service-spec.ts';
import { validateClusterIps } from './service-validation.ts';

const POLICY = 'spec.ipFamilyPolicy';
const SINGLE = 'SingleStack';
/** Families of the cluster's ranges. */
const CONFIGURED: readonly IpFamily[] = ['IPv4'];

/**
 * Fills in the policy and the families that a service leaves out.
 * @param spec changed
 * @param old absent for a new service
 * @returns what keeps the service from getting addresses
 */
export function settleFamilies(spec: Struct, old: Struct): readonly FieldError[] {
  if (!needsAddress(spec) || keepsPreference(spec, old)) return [];
  const headlessAlone = spec.clusterIP === NO_ADDRESS && Object.keys(spec.selector ?? {}).length === 0;
  // A service whose endpoints someone else makes may have them of any family.
  spec.ipFamilyPolicy ??= old?.ipFamilyPolicy ?? (headlessAlone ? 'RequireDualStack' : SINGLE);
  const errors = validateClusterIps(spec);
  if (errors.length > 0) return errors;
  const conflicts = [...(old === undefined ? [] : settleReduction(spec, old)), ...singleStackConflicts(spec), ...inferFamilies(spec)];
  if (conflicts.length > 0) return conflicts;
  if (headlessAlone) {
    spec.ipFamilies = bothFamilies(spec);
    return [];
  }
  const unavailable = unavailableFamilies(spec);
  if (unavailable.length === 0 && (spec.ipFamilies ?? []).length === 0) spec.ipFamilies = [CONFIGURED[0]];
  return unavailable;
}

/** A service that takes what there is keeps what it got, whatever the cluster could give now. */
function keepsPreference(spec: Struct, old: Struct): boolean {
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

/** A service gives its second address back by asking for one only. */
function settleReduction(spec: Struct, old: Struct): readonly FieldError[] {
  if (spec.ipFamilyPolicy === SINGLE) {
    for (const list of ['clusterIPs', 'ipFamilies'])
      if (spec[list]?.length > 1 && sameList(spec[list], old[list])) spec[list] = [spec[list][0]];
    return [];
  }
  const reduced = (list: string): boolean => (spec[list] ?? []).length > 0 && spec[list].length < (old[list] ?? []).length;
  return [
    ...(reduced('clusterIPs') ? [invalid(POLICY, spec.ipFamilyPolicy, "must be 'SingleStack' to release the secondary cluster IP")] : []),
    ...(reduced('ipFamilies') ? [invalid(POLICY, spec.ipFamilyPolicy, "must be 'SingleStack' to release the secondary IP family")] : []),
  ];
}

function singleStackConflicts(spec: Struct): readonly FieldError[] {
  if (spec.ipFamilyPolicy !== SINGLE) return [];
  return [
    { list: 'clusterIPs', noun: 'cluster IPs' },
    { list: 'ipFamilies', noun: 'IP families' },
  ]
    .filter(({ list }) => spec[list]?.length === 2)
    .map(({ noun }) => invalid(POLICY, SINGLE, `must be 'RequireDualStack' or 'PreferDualStack' when multiple ${noun} are specified`));
}

/** Addresses that the service names say their families. */
function inferFamilies(spec: Struct): readonly FieldError[] {
  const families: IpFamily[] = [...(spec.ipFamilies ?? [])];
  const errors: FieldError[] = [];
  for (const [index, address] of ((spec.clusterIPs ?? []) as string[]).entries()) {
    if (address === NO_ADDRESS) break;
    const family = familyOf(address);
    if (index < families.length || family === undefined) continue;
    if (CONFIGURED.includes(family)) families.push(family);
    else errors.push(invalid(`spec.clusterIPs[${index}]`, spec.clusterIPs, `${family} is not configured on this cluster`));
  }
  if (families.length > 0) spec.ipFamilies = families;
  return errors;
}

function bothFamilies({ ipFamilies, ipFamilyPolicy }: Struct): IpFamily[] {
  const families: IpFamily[] = (ipFamilies ?? []).length > 0 ? ipFamilies : [CONFIGURED[0]];
  if (families.length > 1 || ipFamilyPolicy === SINGLE) return families;
  return [...families, families[0] === 'IPv4' ? 'IPv6' : 'IPv4'];
}

function unavailableFamilies({ ipFamilies, ipFamilyPolicy }: Struct): readonly FieldError[] {
  const errors: FieldError[] = [];
  if (ipFamilyPolicy === 'RequireDualStack' && CONFIGURED.length < 2)
    errors.push(invalid(POLICY, ipFamilyPolicy, 'this cluster is not configured for dual-stack services'));
  for (const [index, family] of ((ipFamilies ?? []) as IpFamily[]).entries())
    if (!CONFIGURED.includes(family)) errors.push(invalid(`spec.ipFamilies[${index}]`, family, 'not configured on this cluster'));
  return errors;
}
