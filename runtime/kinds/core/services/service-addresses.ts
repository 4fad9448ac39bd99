/** Addresses of a service, their families, and the policy that chooses the families. */
import type { ServiceSpec } from '../../../../generated/core/v1/types.ts';
import { duplicate, type FieldError, invalid, required } from '../../../contract/field-error.ts';
import { familyOf, ipAddress } from '../../../formats/addresses.ts';
import { NONE } from '../../../validation/joined.ts';
import { eachItem, invalidAs, oneOf } from '../../findings.ts';
import { isHeadless, NO_ADDRESS, needsAddress } from './service-spec.ts';

const PATH = '.clusterIPs';

/** Looked at before addresses are allocated, and again with them. */
export function clusterAddresses(spec: ServiceSpec): readonly FieldError[] {
  if (!needsAddress(spec)) return NONE;
  const addresses = spec.clusterIPs ?? [];
  const errors = [
    ...validateSingular(spec.clusterIP ?? '', addresses),
    ...validateFamilies(spec.ipFamilies),
    ...oneOf(spec.ipFamilyPolicy, '.ipFamilyPolicy', ['PreferDualStack', 'RequireDualStack', 'SingleStack']),
  ];
  const malformed = eachItem(addresses, PATH, (address, at, index) => {
    if (index > 0 || address !== NO_ADDRESS) return invalidAs(ipAddress(address), at, address);
    return addresses.length > 1 ? [invalid(PATH, addresses, "'None' must be the first and only value")] : NONE;
  });
  errors.push(...malformed);
  if (addresses.length > 2) errors.push(invalid(PATH, addresses, 'may only hold up to 2 values'));
  if (malformed.length > 0) return errors;
  const families = addresses.map(familyOf);
  if (addresses.length > 1 && new Set(families).size < 2)
    errors.push(invalid(PATH, addresses, 'may specify no more than one IP for each IP family'));
  return isHeadless(spec) ? errors : [...errors, ...validateFamilyMatch(addresses, spec.ipFamilies ?? [])];
}

function validateSingular(address: string, addresses: readonly string[]): readonly FieldError[] {
  if (addresses.length === 0) return address === '' ? NONE : [required(PATH)];
  if (address !== '' && address === addresses[0]) return NONE;
  return [
    invalid(PATH, addresses, address === '' ? 'must be empty when `clusterIP` is not specified' : 'first value must match `clusterIP`'),
  ];
}

function validateFamilies(families: readonly string[] | undefined): readonly FieldError[] {
  return eachItem(families, '.ipFamilies', (family, at, index) => [
    ...oneOf(family, at, ['IPv4', 'IPv6']),
    ...(families?.indexOf(family) === index ? NONE : [duplicate(at, family)]),
  ]);
}

function validateFamilyMatch(addresses: readonly string[], families: readonly string[]): readonly FieldError[] {
  return eachItem(addresses, PATH, (address, at, index) => {
    const expected = families[index];
    if ((expected !== 'IPv4' && expected !== 'IPv6') || familyOf(address) === expected) return NONE;
    return [invalid(at, address, `expected an ${expected} value as indicated by \`ipFamilies[${index}]\``)];
  });
}
