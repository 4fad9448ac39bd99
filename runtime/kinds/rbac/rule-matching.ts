import type { GrantedRule } from '../../contract/write-access.ts';
import { trimRight } from '../../go-text/trim-right.ts';

export type PolicyRule = GrantedRule;

const ALL = '*';

/** @param subresource '' for the resource itself */
export function grantsOnResource(rule: PolicyRule, verb: string, group: string, resource: string, subresource: string): boolean {
  return has(rule.verbs, verb) && has(rule.apiGroups, group) && hasResource(rule.resources, resource, subresource);
}

export function grantsOnPath(rule: PolicyRule, verb: string, path: string): boolean {
  return has(rule.verbs, verb) && (rule.nonResourceURLs ?? []).some((url) => coversPath(url, path));
}

/** A rule without names is for all of them. */
export function grantsOnName(rule: PolicyRule, name: string): boolean {
  const names = rule.resourceNames;
  return names === undefined || names.length === 0 || names.includes(name);
}

/** A pattern may end in `*`. */
export function coversPath(pattern: string, path: string): boolean {
  return pattern === ALL || pattern === path || (pattern.endsWith(ALL) && path.startsWith(trimRight(pattern, ALL)));
}

function has(list: readonly string[] | undefined, value: string): boolean {
  return list !== undefined && (list.includes(value) || list.includes(ALL));
}

/** `*` is every resource and every subresource, `*` + `/scale` that subresource of every resource. */
function hasResource(list: readonly string[] | undefined, resource: string, subresource: string): boolean {
  if (list === undefined) return false;
  if (list.includes(ALL)) return true;
  if (subresource === '') return list.includes(resource);
  return list.includes(`${resource}/${subresource}`) || list.includes(`*/${subresource}`);
}
