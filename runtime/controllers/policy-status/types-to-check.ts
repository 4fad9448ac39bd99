/** The kinds that the expressions of a policy are checked against (`typesToCheck` of 1.32). */
import type { MatchResources, Rule } from '../../../generated/admissionregistration/v1/types.ts';

export interface CheckedKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/** @returns kinds of a resource in a version; of any group where the group is ''. None where there is no such resource */
export type KindsFor = (group: string, version: string, resource: string) => readonly CheckedKind[];

/** Kinds that one rule brings, at most: with them no further rule is looked at. */
const MOST = 10;

/** @returns in the order of groups, versions and kinds */
export function typesToCheck({ resourceRules = [] }: MatchResources, kindsFor: KindsFor): readonly CheckedKind[] {
  const found = new Map<string, CheckedKind>();
  for (const rule of resourceRules) {
    let count = 0;
    for (const each of kindsOf(rule, kindsFor)) {
      found.set(`${each.group}/${each.version}/${each.kind}`, each);
      if (++count === MOST) return sorted(found);
    }
  }
  return sorted(found);
}

/** Returns the kinds of a rule that are checked. Rules for all groups, all versions or all resources are not checked, and neither are subresources. */
function* kindsOf({ apiGroups = [], apiVersions = [], resources = [] }: Rule, kindsFor: KindsFor): Generator<CheckedKind> {
  const isWide = (names: readonly string[]): boolean => names.some((name) => name.includes('*'));
  if (isWide(apiGroups) || isWide(apiVersions)) return;
  const named = resources.filter((resource) => !/[*/]/.test(resource));
  for (const group of [...apiGroups].sort())
    for (const version of [...apiVersions].sort()) for (const resource of [...named].sort()) yield* kindsFor(group, version, resource);
}

function sorted(kinds: ReadonlyMap<string, CheckedKind>): readonly CheckedKind[] {
  const parts = ({ group, version, kind }: CheckedKind): readonly string[] => [group, version, kind];
  return [...kinds.values()].sort((a, b) => {
    const [left, right] = [parts(a), parts(b)];
    const at = left.findIndex((part, index) => part !== right[index]);
    return at === -1 ? 0 : (left[at] as string) < (right[at] as string) ? -1 : 1;
  });
}
