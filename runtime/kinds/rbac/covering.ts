/** Whether rules that somebody holds cover rules that they want to grant; the results and texts are those of 1.32. */
import { goQuoteList } from '../../go-text/quote.ts';
import { coversPath, type PolicyRule } from './rule-matching.ts';

/** Single rights (one group, resource, name, verb each) that are looked at one by one: a rule may combine far more than anybody means. */
const MAX_RIGHTS = 100_000;

/** More single rights than are looked at. */
export class TooManyRights extends Error {}

/**
 * @returns the single rights among `wanted` that no rule of `held` covers
 * @throws TooManyRights
 */
export function missingRights(held: readonly PolicyRule[], wanted: readonly PolicyRule[]): PolicyRule[] {
  const missing: PolicyRule[] = [];
  let left = MAX_RIGHTS;
  for (const rule of wanted) {
    if (held.some((owned) => covers(owned, rule) && isUniform(rule))) continue;
    left -= countRights(rule);
    if (left < 0) throw new TooManyRights(`the rules combine more than ${MAX_RIGHTS} rights`);
    for (const right of singleRights(rule)) if (!held.some((owned) => covers(owned, right))) missing.push(right);
  }
  return missing;
}

/** A rule that is for resources or for paths, not both. */
function isUniform({ resources = [], nonResourceURLs = [] }: PolicyRule): boolean {
  return resources.length === 0 || nonResourceURLs.length === 0;
}

function countRights({ verbs, apiGroups = [], resources = [], resourceNames = [], nonResourceURLs = [] }: PolicyRule): number {
  return verbs.length * (apiGroups.length * resources.length * Math.max(1, resourceNames.length) + nonResourceURLs.length);
}

function* singleRights({
  verbs,
  apiGroups = [],
  resources = [],
  resourceNames = [],
  nonResourceURLs = [],
}: PolicyRule): Generator<PolicyRule> {
  for (const group of apiGroups)
    for (const resource of resources)
      for (const verb of verbs) {
        const right = { apiGroups: [group], resources: [resource], verbs: [verb] };
        if (resourceNames.length === 0) yield right;
        else for (const name of resourceNames) yield { ...right, resourceNames: [name] };
      }
  for (const url of nonResourceURLs) for (const verb of verbs) yield { nonResourceURLs: [url], verbs: [verb] };
}

function covers(owned: PolicyRule, right: PolicyRule): boolean {
  return (
    hasAll(owned.verbs, right.verbs) &&
    hasAll(owned.apiGroups, right.apiGroups) &&
    (right.resources ?? []).every((resource) => coversResource(owned.resources ?? [], resource)) &&
    (right.nonResourceURLs ?? []).every((url) => (owned.nonResourceURLs ?? []).some((pattern) => coversPath(pattern, url))) &&
    coversNames(owned.resourceNames ?? [], right.resourceNames ?? [])
  );
}

function hasAll(owned: readonly string[] = [], wanted: readonly string[] = []): boolean {
  return owned.includes('*') || wanted.every((value) => owned.includes(value));
}

function coversResource(owned: readonly string[], resource: string): boolean {
  if (owned.includes('*') || owned.includes(resource)) return true;
  const slash = resource.indexOf('/');
  return slash >= 0 && owned.includes(`*${resource.slice(slash)}`);
}

function coversNames(owned: readonly string[], wanted: readonly string[]): boolean {
  if (owned.length === 0) return true;
  return wanted.length > 0 && wanted.every((name) => owned.includes(name));
}

/** Rights with the verbs on one resource, or one name of it, put together. As in 1.32, a verb is told as often as rules have it. */
export function compactRights(rights: readonly PolicyRule[]): PolicyRule[] {
  const bySubject = new Map<string, { rule: PolicyRule; verbs: string[] }>();
  const others: PolicyRule[] = [];
  for (const right of rights) {
    if (right.resources === undefined) {
      others.push(right);
      continue;
    }
    const key = JSON.stringify([right.apiGroups, right.resources, right.resourceNames]);
    const found = bySubject.get(key);
    if (found === undefined) bySubject.set(key, { rule: right, verbs: [...right.verbs] });
    else found.verbs.push(...right.verbs);
  }
  return [...others, ...[...bySubject.values()].map(({ rule, verbs }) => ({ ...rule, verbs }))];
}

/** Such as `{APIGroups:["apps"], Resources:["deployments"], Verbs:["get" "list"]}`. */
export function ruleText({ apiGroups = [], resources = [], nonResourceURLs = [], resourceNames = [], verbs }: PolicyRule): string {
  const parts = Object.entries({
    APIGroups: apiGroups,
    Resources: resources,
    NonResourceURLs: nonResourceURLs,
    ResourceNames: resourceNames,
    Verbs: verbs,
  });
  return `{${parts
    .filter(([, values]) => values.length > 0)
    .map(([name, values]) => `${name}:${goQuoteList(values)}`)
    .join(', ')}}`;
}
