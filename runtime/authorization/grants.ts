import type { User } from '../contract/request-context.ts';
import type { GrantedRule } from '../contract/write-access.ts';

/** What roles grant. It is known in every mode of authorization, because writes of roles and bindings are checked against it. */
export interface Grants {
  /** Resolves when all stored roles and bindings are known; undefined: they are. Until then those that are long may be missing. */
  settled(): Promise<unknown> | undefined;
  /**
   * All rules that a user has in a namespace and cluster-wide, and the problem of bindings without a role.
   * @param resource that a request writes: as in 1.32, a role that it misses is said to be one of these
   */
  held(
    user: Pick<User, 'name' | 'groups'>,
    namespace: string,
    resource: string,
  ): { rules: readonly GrantedRule[]; problem?: string | undefined };
  /** @returns undefined if there is no such role */
  roleRules(kind: string, name: string, namespace: string): readonly GrantedRule[] | undefined;
  /** aggregated cluster roles whose stored rules are outdated, with the rules that they should have */
  outdatedAggregates(): Promise<readonly { readonly name: string; readonly rules: readonly GrantedRule[] }[]>;
}
