import type { ServiceCIDR } from '../../../generated/networking/v1beta1/types.ts';
import { type FieldError, invalid } from '../../contract/field-error.ts';
import type { KindRules, RuleContext } from '../../contract/kind-rules.ts';
import { parseLenientRange } from '../../formats/ip-text.ts';
import { goEmptyList } from '../../go-text/values.ts';
import { NONE } from '../../validation/joined.ts';
import { isSame } from '../../validation/values.ts';
import { keepMetadata } from '../metadata/status-update.ts';

/** One range for each address family. */
export function areOfDifferentFamilies(cidrs: readonly string[]): boolean {
  if (cidrs.length < 2) return true;
  const lengths = cidrs.map((cidr) => parseLenientRange(cidr)?.address.bytes.length);
  return !lengths.includes(undefined) && lengths[0] !== lengths[1];
}

export function unchanged({ spec }: ServiceCIDR, old: ServiceCIDR | undefined, context: RuleContext): readonly FieldError[] {
  const cidrs = spec?.cidrs;
  if (isSame(cidrs, old?.spec?.cidrs)) return NONE;
  const sent = context.sent?.() as ServiceCIDR | undefined;
  return [invalid('.spec.cidrs', cidrs ?? goEmptyList('string', sent?.spec?.cidrs), 'field is immutable')];
}

export const rules: KindRules = { prepareForStatusUpdate: keepMetadata };
