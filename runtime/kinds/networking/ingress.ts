import type { Ingress } from '../../../generated/networking/v1/types.ts';
import { type FieldError, invalid } from '../../contract/field-error.ts';
import type { Rule } from '../../contract/kind.ts';
import type { KindRules, RuleContext } from '../../contract/kind-rules.ts';
import { dnsSubdomain } from '../../formats/names.ts';
import { goEmptyList } from '../../go-text/values.ts';
import { NONE } from '../../validation/joined.ts';
import { invalidAs } from '../findings.ts';
import { isInvalidWildcard, type StoredPaths } from './ingress-rules.ts';

/** What an update lets pass because the stored object already has it. */
interface Allowances extends StoredPaths {
  readonly secretNames: boolean;
}

export function allowances(_ingress: Ingress, old: Ingress | undefined): Allowances {
  const { tls = [], rules: stored = [] } = old?.spec ?? {};
  return {
    secretNames: tls.some(({ secretName: name = '' }) => name !== '' && dnsSubdomain(name).length > 0),
    wildcardPaths: stored.some(isInvalidWildcard),
  };
}

export const secretName: Rule<string, Allowances> = (name, _old, _context, allowed) =>
  name === '' || allowed.secretNames ? NONE : invalidAs(dnsSubdomain(name), '', name);

export function leadsSomewhere({ spec }: Ingress, _old: unknown, context: RuleContext): readonly FieldError[] {
  if ((spec?.rules ?? []).length > 0 || spec?.defaultBackend !== undefined) return NONE;
  const sent = context.sent?.() as Ingress | undefined;
  const shown = goEmptyList('networking.IngressRule', sent?.spec?.rules);
  return [invalid('.spec', shown, 'either `defaultBackend` or `rules` must be specified')];
}

const CLASS_ANNOTATION = '${labelDomain}/ingress.class';

/** The annotation was how a class was named before the field came. */
export function sameClass({ metadata, spec }: Ingress, _old: unknown, context: RuleContext): readonly FieldError[] {
  const key = context.text(CLASS_ANNOTATION);
  const annotation = metadata.annotations?.[key];
  const name = spec?.ingressClassName;
  if (annotation === undefined || name === undefined || annotation === name) return NONE;
  return [invalid(`.annotations.${key}`, annotation, 'must match `ingressClassName` when both are specified')];
}

export const rules: KindRules<Ingress> = {
  warnings(ingress, old, context) {
    const key = context.text(CLASS_ANNOTATION);
    if (old !== undefined || ingress.metadata.annotations?.[key] === undefined) return [];
    return [`annotation "${key}" is deprecated, please use 'spec.ingressClassName' instead`];
  },
};
