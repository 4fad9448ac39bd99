import { type FieldError, invalid, required } from '../../contract/field-error.ts';
import type { KindRules } from '../../contract/kind.ts';
import type { ApiObject } from '../../contract/object.ts';
import { canonicalCidr } from '../../formats/addresses.ts';
import { parseLenientRange } from '../../formats/ip-text.ts';
import { eachItem, invalidAs } from '../core/findings.ts';
import { unchanged } from '../immutable.ts';
import { keepMetadata } from '../metadata/status-update.ts';

const PATH = 'spec.cidrs';
/** One range for each address family. */
const MOST = 2;

function validate({ spec = {} }: ApiObject): readonly FieldError[] {
  const cidrs: readonly string[] = spec.cidrs ?? [];
  if (cidrs.length === 0) return [required(PATH, 'at least one CIDR required')];
  if (cidrs.length > MOST) return [invalid(PATH, spec, 'may only hold up to 2 values')];
  if (cidrs.length === MOST && !areOfBothFamilies(cidrs))
    return [invalid(PATH, spec, 'may specify no more than one IP for each IP family, i.e 192.168.0.0/24 and 2001:db8::/64')];
  return eachItem(cidrs, PATH, (cidr, at) => invalidAs(canonicalCidr(cidr), at, cidr));
}

function areOfBothFamilies(cidrs: readonly string[]): boolean {
  const lengths = cidrs.map((cidr) => parseLenientRange(cidr)?.address.bytes.length);
  return !lengths.includes(undefined) && lengths[0] !== lengths[1];
}

export const rules: KindRules = {
  validate,
  prepareForStatusUpdate: keepMetadata,
  validateUpdate: (object, old) => unchanged(object.spec?.cidrs, old.spec?.cidrs, PATH),
};
