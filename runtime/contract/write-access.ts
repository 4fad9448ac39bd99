/** What a kind's rules may ask about the user who writes an object. */
import type { ApiObject } from './object.ts';
import type { User } from './request-context.ts';

/** Something that the writer needs a right for. */
export interface WriterAction {
  readonly verb: string;
  readonly group: string;
  /** absent for the version of the request */
  readonly version?: string;
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
}

/** The questions of rules about the writer of an object, for kinds whose writers need more rights than that to the verb. */
export interface WriteAccess {
  readonly user: User;
  /** the group of the resource that the request is about; `name` is empty in a POST to a collection */
  readonly group: string;
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
  /** Tells whether the writer has the right to another action. */
  allows(action: WriterAction): Promise<boolean>;
  /** Returns the name of the resource for a kind; undefined if the kind is not served. @param apiVersion a version, or a group and a version */
  resourceOf(apiVersion: string, kind: string): string | undefined;
  /** Returns the stored form of an object without a namespace; undefined if there is none. */
  stored(resource: string, name: string): ApiObject | undefined;
  /**
   * Returns the rules that the writer has by roles in a namespace and in the whole cluster, and what is wrong with bindings that should give more; absent: nothing
   * is.
   */
  heldRules(namespace: string): { rules: readonly GrantedRule[]; problem?: string | undefined };
  /** Returns the rules of a Role or ClusterRole. @throws StatusError as for a read of one that is not there */
  roleRules(kind: string, name: string, namespace: string): readonly GrantedRule[];
}

/** A rule of a role. */
export interface GrantedRule {
  readonly verbs: readonly string[];
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly nonResourceURLs?: readonly string[];
}
