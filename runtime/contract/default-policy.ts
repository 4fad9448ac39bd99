/**
 * The roles and bindings that a server makes and repairs at its start: `schemas/default-policy.yaml`. Text may hold identity placeholders.
 */
export interface DefaultPolicy {
  readonly clusterRoles: readonly DefaultRole[];
  readonly roles: readonly (DefaultRole & { readonly namespace: string })[];
  readonly clusterRoleBindings: readonly DefaultBinding[];
  readonly roleBindings: readonly (DefaultBinding & { readonly namespace: string })[];
}

export interface DefaultRole {
  readonly name: string;
  /** gathers the rules of the cluster roles that carry this label's value; such a role has no rules of its own */
  readonly aggregate?: string;
  /** the role that gathers this one's rules */
  readonly aggregateTo?: string;
  readonly rules?: readonly DefaultRule[];
  /** of a cluster role: it is made, and bound, while all of these are on; absent: always */
  readonly featureGates?: readonly string[];
}

export interface DefaultRule {
  readonly verbs: readonly string[];
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly nonResourceURLs?: readonly string[];
}

export interface DefaultBinding {
  readonly name: string;
  /** one of these two is what it binds */
  readonly clusterRole?: string;
  readonly role?: string;
  readonly subjects: readonly DefaultSubject[];
}

export type DefaultSubject =
  | { readonly user: string }
  | { readonly group: string }
  | { readonly serviceAccount: string; readonly namespace: string };
