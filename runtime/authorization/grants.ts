import type { User } from '../contract/request-context.ts';
import type { GrantedRule } from '../contract/write-access.ts';

/** What roles grant, whatever the modes of authorization. */
export interface Grants {
  /** Resolves when all roles and bindings that are there are known; undefined where they are. Until then others are taken for the only ones. */
  settled(): Promise<unknown> | undefined;
  /** all rules that somebody holds in a namespace and cluster-wide, and what is wrong with bindings that should give more */
  held(user: Pick<User, 'name' | 'groups'>, namespace: string): { rules: readonly GrantedRule[]; problems: readonly string[] };
  /** @returns undefined for a role that does not exist */
  roleRules(kind: string, name: string, namespace: string): readonly GrantedRule[] | undefined;
  /** cluster roles whose rules are not those that they should have gathered, with those */
  outdatedAggregates(): readonly { readonly name: string; readonly rules: readonly GrantedRule[] }[];
}
