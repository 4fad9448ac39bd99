/** Aggregated cluster roles, which collect the rules of other ones by label. */

import type { PolicyRule } from '../../kinds/rbac/rule-matching.ts';
import { atOnce } from '../../schema/at-once.ts';
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

/** Roles that are looked at in one piece of the work. */
const PIECE = 256;

/** As `aggregatedRuleSlices`, all at once. */
export const aggregatedRules = (role: AggregatingRole, roles: Iterable<GatheredRole>): PolicyRule[] =>
  atOnce(aggregatedRuleSlices(role, [...roles]));

/**
 * The rules of all other roles that a selector matches, in the order of the selectors and then of the names. Each rule is there once. Between
 * its pieces the caller does what it wants.
 */
export function* aggregatedRuleSlices(
  { name, selectors }: AggregatingRole,
  roles: readonly GatheredRole[],
): Generator<void, PolicyRule[], void> {
  const rules = new Map<string, PolicyRule>();
  for (const selector of selectors) {
    if (!selector || !isUsable(selector)) continue;
    const matches = compiledSelector(selector);
    const gathered: GatheredRole[] = [];
    for (let from = 0; from < roles.length; from += PIECE) {
      // of thousands of roles few match
      gathered.push(...roles.slice(from, from + PIECE).filter((role) => matches(role.labels) && role.name !== name));
      yield;
    }
    for (const role of gathered.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      for (const rule of role.rules) {
        const text = ruleText(rule);
        if (!rules.has(text)) rules.set(text, rule);
      }
      yield;
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
