import { type FieldError, invalid } from '../../contract/field-error.ts';
import type { KindRules, RuleContext } from '../../contract/kind.ts';
import type { ApiObject } from '../../contract/object.ts';
import { ipAddress, notAnAddress } from '../../formats/addresses.ts';
import { dnsSubdomain, hostPattern } from '../../formats/names.ts';
import { eachItem, invalidAs } from '../core/findings.ts';
import type { Struct } from '../struct.ts';
import { validateBackend } from './ingress-backend.ts';
import { hasInvalidWildcardRule, validateRules } from './ingress-rules.ts';

type List = readonly Struct[] | undefined;

/** What an update lets pass because the stored object already has it. */
interface Allowance {
  readonly secretNames: boolean;
  readonly wildcardPaths: boolean;
}

const NOTHING_ALLOWED: Allowance = { secretNames: false, wildcardPaths: false };

function allowanceOf(old: ApiObject): Allowance {
  return {
    secretNames: ((old.spec?.tls ?? []) as Struct[]).some(({ secretName }) => secretNameMessages(secretName).length > 0),
    wildcardPaths: hasInvalidWildcardRule(old.spec?.rules),
  };
}

function secretNameMessages(name: string | undefined): readonly string[] {
  return name ? dnsSubdomain(name) : [];
}

function validateSpec({ spec = {} }: ApiObject, allowance: Allowance): readonly FieldError[] {
  const { defaultBackend, rules, tls, ingressClassName } = spec as Struct;
  const empty = (rules ?? []).length === 0 && defaultBackend === undefined;
  return [
    ...(empty ? [invalid('spec', rules ?? null, 'either `defaultBackend` or `rules` must be specified')] : []),
    ...(defaultBackend === undefined ? [] : validateBackend(defaultBackend, 'spec.defaultBackend')),
    ...validateRules(rules, 'spec.rules', allowance.wildcardPaths),
    ...validateTls(tls, allowance.secretNames),
    ...(ingressClassName === undefined ? [] : invalidAs(dnsSubdomain(ingressClassName), 'spec.ingressClassName', ingressClassName)),
  ];
}

function validateTls(tls: List, anySecretName: boolean): readonly FieldError[] {
  return eachItem(tls, 'spec.tls', ({ hosts, secretName }, at) => [
    ...eachItem(hosts as string[] | undefined, `${at}.hosts`, (host, hostPath) => invalidAs(hostPattern(host), hostPath, host)),
    ...(anySecretName ? [] : invalidAs(secretNameMessages(secretName), `${at}.secretName`, secretName)),
  ]);
}

const CLASS_ANNOTATION = '${labelDomain}/ingress.class';

/** The annotation was how a class was named before the field came. */
function validateClassAnnotation({ metadata, spec }: ApiObject, context: RuleContext): readonly FieldError[] {
  const key = context.text(CLASS_ANNOTATION);
  const annotation = metadata.annotations?.[key];
  const name: string | undefined = spec?.ingressClassName;
  if (annotation === undefined || name === undefined || annotation === name) return [];
  return [invalid(`annotations.${key}`, annotation, 'must match `ingressClassName` when both are specified')];
}

function validateStatusUpdate({ status }: ApiObject): readonly FieldError[] {
  return eachItem(status?.loadBalancer?.ingress as List, 'status.loadBalancer.ingress', ({ ip, hostname }, at) => [
    ...(ip ? invalidAs(ipAddress(ip), `${at}.ip`, ip) : []),
    ...(hostname ? invalidAs([...dnsSubdomain(hostname), ...notAnAddress(hostname)], `${at}.hostname`, hostname) : []),
  ]);
}

/** A changed object is held against the old one instead. */
function validateCreate(object: ApiObject, context: RuleContext): readonly FieldError[] {
  return [...validateSpec(object, NOTHING_ALLOWED), ...validateClassAnnotation(object, context)];
}

export const rules: KindRules = {
  validateCreate,
  validateUpdate: (object, old) => validateSpec(object, allowanceOf(old)),
  validateStatusUpdate,
  warnings(object, old, context) {
    const key = context.text(CLASS_ANNOTATION);
    if (old !== undefined || object.metadata.annotations?.[key] === undefined) return [];
    return [`annotation "${key}" is deprecated, please use 'spec.ingressClassName' instead`];
  },
};
