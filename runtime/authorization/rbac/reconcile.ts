/**
 * What a start adds to an existing role or binding. It removes nothing, except an aggregation rule from a role that should have none. Objects that are
 * marked to stay as they are do not change.
 */
import type { LabelSelector } from '../../../generated/meta/v1/types.ts';
import type { Subject } from '../../../generated/rbac/v1/types.ts';
import type { ApiObject } from '../../contract/object.ts';
import { missingRights } from '../../kinds/rbac/covering.ts';
import type { PolicyRule } from '../../kinds/rbac/rule-matching.ts';
import { deepEqual } from '../../schema/equal.ts';

/**
 * @param existing as it is stored; not changed
 * @returns the repaired object; `recreate` for a binding to another role, which no update may change; undefined if nothing is to be done
 */
export function reconcile(existing: ApiObject, expected: ApiObject, autoUpdate: string): ApiObject | 'recreate' | undefined {
  if (existing.metadata.annotations?.[autoUpdate] === 'false') return undefined;
  if (expected.roleRef !== undefined && !deepEqual(existing.roleRef, expected.roleRef)) return 'recreate';
  const metadata = {
    ...existing.metadata,
    labels: { ...expected.metadata.labels, ...existing.metadata.labels },
    annotations: { ...expected.metadata.annotations, ...existing.metadata.annotations },
  };
  const repaired: ApiObject = { ...existing, metadata };
  if (expected.roleRef !== undefined) addSubjects(repaired, expected);
  else addRules(repaired, expected);
  return deepEqual(repaired, existing) ? undefined : repaired;
}

function addRules(role: ApiObject, expected: ApiObject): void {
  if (role.aggregationRule !== undefined && expected.aggregationRule !== undefined) {
    const selectors: LabelSelector[] = role.aggregationRule.clusterRoleSelectors ?? [];
    const missing = (expected.aggregationRule.clusterRoleSelectors as LabelSelector[]).filter(
      (each) => !selectors.some((own) => deepEqual(own, each)),
    );
    if (missing.length > 0) role.aggregationRule = { ...role.aggregationRule, clusterRoleSelectors: [...selectors, ...missing] };
    return;
  }
  const rules: PolicyRule[] = role.rules ?? [];
  const missing = missingRights(rules, expected.rules ?? []);
  if (missing.length > 0) role.rules = [...rules, ...missing];
  if (expected.aggregationRule === undefined) delete role.aggregationRule;
  else role.aggregationRule = expected.aggregationRule;
}

function addSubjects(binding: ApiObject, expected: ApiObject): void {
  const subjects: Subject[] = binding.subjects ?? [];
  const missing = ((expected.subjects ?? []) as Subject[]).filter((each) => !subjects.some((own) => sameSubject(own, each)));
  if (missing.length > 0) binding.subjects = [...subjects, ...missing];
}

function sameSubject(a: Subject, b: Subject): boolean {
  return a.kind === b.kind && a.name === b.name && (a.namespace ?? '') === (b.namespace ?? '') && (a.apiGroup ?? '') === (b.apiGroup ?? '');
}
