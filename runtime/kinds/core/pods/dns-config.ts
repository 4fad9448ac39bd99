/** Where a pod looks up names. */
import type { FieldError } from '../../../contract/field-error.ts';
import type { RuleContext } from '../../../contract/kind-rules.ts';
import { dnsSubdomain, dnsSubdomainWithUnderscores } from '../../../formats/names.ts';
import { NONE } from '../../../validation/joined.ts';
import { invalidAs } from '../../findings.ts';
import type { PodScope } from '../containers/pod-scope.ts';

const MAX_CHARACTERS = 2_048;

/** A resolver reads all search domains from one line. */
export function fitsOneLine(searches: readonly string[]): boolean {
  return searches.join(' ').length <= MAX_CHARACTERS;
}

/** Each may end with a dot. Behind a gate, or where the pod had such before, labels may hold `_`, and a dot may stand alone. */
export function search(domain: string, _old: unknown, context: RuleContext, { old }: PodScope): readonly FieldError[] {
  const wasRelaxed = old?.dnsConfig?.searches?.some((each) => each === '.' || each.includes('_'));
  const isRelaxed = context.featureEnabled('RelaxedDNSSearchValidation') || wasRelaxed === true;
  if (isRelaxed && domain === '.') return NONE;
  const name = domain.endsWith('.') ? domain.slice(0, -1) : domain;
  return invalidAs((isRelaxed ? dnsSubdomainWithUnderscores : dnsSubdomain)(name), '', name);
}
