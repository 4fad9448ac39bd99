/** Cluster roles that gather the rules of others by label. */
import { deepEqual } from '../../schema/equal.ts';
import { isUsable, type LabelSelector, matches } from '../selectors/label-selector.ts';
import type { PolicyRule } from './rule-matching.ts';

export interface AggregatingRole {
  readonly name: string;
  readonly selectors: readonly LabelSelector[];
}

export interface GatheredRole {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>> | undefined;
  readonly rules: readonly PolicyRule[];
}

/** Rules of all other roles that some selector matches: in the order of selectors, then of names, each rule once. */
export function aggregatedRules({ name, selectors }: AggregatingRole, roles: Iterable<GatheredRole>): PolicyRule[] {
  const sorted = [...roles].sort((a, b) => (a.name < b.name ? -1 : 1));
  const rules: PolicyRule[] = [];
  for (const selector of selectors) {
    if (!isUsable(selector)) continue;
    for (const role of sorted) {
      if (role.name === name || !matches(selector, role.labels)) continue;
      for (const rule of role.rules) if (!rules.some((each) => sameRule(each, rule))) rules.push(rule);
    }
  }
  return rules;
}

export function sameRules(a: readonly PolicyRule[], b: readonly PolicyRule[]): boolean {
  return a.length === b.length && a.every((rule, index) => sameRule(rule, b[index] as PolicyRule));
}

/** An absent list is an empty one. */
function sameRule(a: PolicyRule, b: PolicyRule): boolean {
  return (['verbs', 'apiGroups', 'resources', 'resourceNames', 'nonResourceURLs'] as const).every((member) =>
    deepEqual(a[member] ?? [], b[member] ?? []),
  );
}
