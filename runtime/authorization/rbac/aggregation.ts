/** Aggregated cluster roles, which collect the rules of other ones by label. */

import type { PolicyRule } from '../../kinds/rbac/rule-matching.ts';
import { compiledSelector, isUsable, type LabelSelector } from '../../selectors/label-selector.ts';

export interface AggregatingRole {
  readonly name: string;
  readonly selectors: readonly LabelSelector[];
}

export interface GatheredRole {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>> | undefined;
  readonly rules: readonly PolicyRule[];
}

/** The rules of all other roles that a selector matches, in the order of the selectors and then of the names. Each rule is there once. */
export function aggregatedRules({ name, selectors }: AggregatingRole, roles: Iterable<GatheredRole>): PolicyRule[] {
  const all = [...roles];
  const rules = new Map<string, PolicyRule>();
  for (const selector of selectors) {
    if (!selector || !isUsable(selector)) continue;
    const matches = compiledSelector(selector);
    // of thousands of roles few match
    const gathered = all.filter((role) => matches(role.labels) && role.name !== name);
    for (const role of gathered.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      for (const rule of role.rules) {
        const text = ruleText(rule);
        if (!rules.has(text)) rules.set(text, rule);
      }
    }
  }
  return [...rules.values()];
}

export function sameRules(a: readonly PolicyRule[], b: readonly PolicyRule[]): boolean {
  return a.length === b.length && a.every((rule, index) => ruleText(rule) === ruleText(b[index] as PolicyRule));
}

/** Equal for equal rules. An absent list equals an empty one. */
function ruleText(rule: PolicyRule): string {
  return JSON.stringify([rule.verbs, rule.apiGroups, rule.resources, rule.resourceNames, rule.nonResourceURLs].map((list) => list ?? []));
}
