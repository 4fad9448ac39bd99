/** The rules of a flow schema: whose requests match, and which. */

import { type FieldError, forbidden, invalid, notSupported, required } from '../../contract/field-error.ts';
import { dnsLabel, dnsSubdomain } from '../../formats/names.ts';
import { nonResourcePath } from '../../formats/paths.ts';
import { eachItem, invalidAs, needed } from '../core/findings.ts';
import type { Struct } from '../struct.ts';

const ALL = '*';
/** in the order in which 1.32 shows them */
const VERBS = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'proxy', 'update', 'watch'];

/** Members of a subject, by its kind. */
const SUBJECT_MEMBERS: Readonly<Record<string, string>> = { ServiceAccount: 'serviceAccount', User: 'user', Group: 'group' };
/** in the order in which 1.32 shows them */
const SUBJECT_KINDS = ['Group', 'ServiceAccount', 'User'];

export function validatePolicyRule(rule: Struct, path: string): readonly FieldError[] {
  const subjects: readonly Struct[] = rule.subjects ?? [];
  const { resourceRules = [], nonResourceRules = [] } = rule;
  return [
    ...(subjects.length === 0 ? [required(`${path}.subjects`, 'subjects must contain at least one value')] : []),
    ...eachItem(subjects, `${path}.subjects`, validateSubject),
    ...(resourceRules.length + nonResourceRules.length === 0
      ? [required(path, 'at least one of resourceRules and nonResourceRules has to be non-empty')]
      : []),
    ...eachItem(resourceRules as readonly Struct[], `${path}.resourceRules`, validateResourceRule),
    ...eachItem(nonResourceRules as readonly Struct[], `${path}.nonResourceRules`, validateUrlRule),
  ];
}

function validateSubject(subject: Struct, path: string): readonly FieldError[] {
  const { kind = '' } = subject;
  const own = Object.hasOwn(SUBJECT_MEMBERS, kind) ? SUBJECT_MEMBERS[kind] : undefined;
  if (own === undefined) return [notSupported(`${path}.kind`, kind, SUBJECT_KINDS)];
  const others = Object.entries(SUBJECT_MEMBERS).filter(([, member]) => member !== own && subject[member] !== undefined);
  return [
    ...(subject[own] === undefined
      ? [required(`${path}.${own}`, `${own} is required when subject kind is '${kind}'`)]
      : validateIdentity(subject[own], kind, `${path}.${own}`)),
    ...others.map(([other, member]) => forbidden(`${path}.${member}`, `${member} is forbidden when subject kind is not '${other}'`)),
  ];
}

function validateIdentity({ name = '', namespace = '' }: Struct, kind: string, path: string): readonly FieldError[] {
  const errors = [...needed(name, `${path}.name`)];
  if (kind !== 'ServiceAccount') return errors;
  if (name !== '' && name !== ALL) errors.push(...invalidAs(dnsSubdomain(name), `${path}.name`, name));
  if (namespace === '') return [...errors, required(`${path}.namespace`, 'must specify namespace for service account')];
  return [...errors, ...invalidAs(dnsLabel(namespace), `${path}.namespace`, namespace)];
}

function validateResourceRule(rule: Struct, path: string): readonly FieldError[] {
  return [
    ...validateVerbs(rule.verbs, `${path}.verbs`),
    ...validateNames(rule.apiGroups, `${path}.apiGroups`, 'resource rules must supply at least one api group', 'api groups'),
    ...validateNames(rule.resources, `${path}.resources`, 'resource rules must supply at least one resource', 'resources'),
    ...validateNamespaces(rule, `${path}.namespaces`),
  ];
}

function validateUrlRule(rule: Struct, path: string): readonly FieldError[] {
  const at = `${path}.nonResourceURLs`;
  const urls: readonly string[] = rule.nonResourceURLs ?? [];
  return [
    ...validateVerbs(rule.verbs, `${path}.verbs`),
    ...validateNames(urls, at, 'nonResourceURLs must contain at least one value', 'non-resource URLs'),
    ...(urls.includes(ALL) ? [] : eachItem(urls, at, (url, urlPath) => invalidAs(nonResourcePath(url), urlPath, url))),
  ];
}

function validateVerbs(verbs: readonly string[] | null | undefined, path: string): readonly FieldError[] {
  const errors = [...validateNames(verbs, path, 'verbs must contain at least one value', 'verbs')];
  const given = verbs ?? [];
  if (!given.includes(ALL) && given.some((verb) => !VERBS.includes(verb))) errors.push(notSupported(path, given, VERBS));
  return errors;
}

/** @param noun what the list holds, as it is named to the user */
function validateNames(names: readonly string[] | null | undefined, path: string, missing: string, noun: string): readonly FieldError[] {
  if ((names ?? []).length === 0) return [required(path, missing)];
  return onlyWildcard(names as readonly string[], path, noun);
}

function onlyWildcard(names: readonly string[], path: string, noun: string): readonly FieldError[] {
  return names.length > 1 && names.includes(ALL) ? [invalid(path, names, `if '*' is present, must not specify other ${noun}`)] : [];
}

function validateNamespaces({ namespaces, clusterScope }: Struct, path: string): readonly FieldError[] {
  const names: readonly string[] = namespaces ?? [];
  if (names.length === 0 && !clusterScope)
    return [required(path, 'resource rules that are not cluster scoped must supply at least one namespace')];
  if (names.includes(ALL)) return onlyWildcard(names, path, 'namespaces');
  return eachItem(names, path, (name, at) =>
    dnsLabel(name).map((message) => invalid(at, name, `each member of this list must be '*' or a DNS-1123 label; ${message}`)),
  );
}
