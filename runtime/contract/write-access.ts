/** What a kind's rules may ask about whoever writes an object. */
import type { ApiObject } from './object.ts';
import type { User } from './request-context.ts';

/** What else a writer may do. */
export interface WriterAction {
  readonly verb: string;
  readonly group: string;
  /** that of the request without it */
  readonly version?: string;
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
}

/** What a kind's rules may ask about whoever writes an object, where leave for the verb is not enough. */
export interface WriteAccess {
  readonly user: User;
  /** what the request is about; `name` is '' in a POST to a collection */
  readonly group: string;
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
  /** whether the writer may do something else as well */
  allows(action: WriterAction): Promise<boolean>;
  /** The resource that a kind is served as; undefined for a kind that is not served. @param apiVersion a version, or a group and a version */
  resourceOf(apiVersion: string, kind: string): string | undefined;
  /** An object that is in no namespace, as it is stored; undefined where there is none. */
  stored(resource: string, name: string): ApiObject | undefined;
  /** rules that the writer holds by roles in a namespace and cluster-wide, and what is wrong with bindings that should give more; absent: nothing */
  heldRules(namespace: string): { rules: readonly GrantedRule[]; problem?: string | undefined };
  /** rules of a Role or ClusterRole; undefined where there is none of that name */
  roleRules(kind: string, name: string, namespace: string): readonly GrantedRule[] | undefined;
}

/** A rule of a role. */
export interface GrantedRule {
  readonly verbs: readonly string[];
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly nonResourceURLs?: readonly string[];
}
