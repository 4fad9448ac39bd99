/** The roles and bindings that a server makes and repairs at its start, from `schemas/default-policy.yaml`. Texts may contain identity placeholders. */
export interface DefaultPolicy {
  readonly clusterRoles: readonly DefaultRole[];
  readonly roles: readonly (DefaultRole & { readonly namespace: string })[];
  readonly clusterRoleBindings: readonly DefaultBinding[];
  readonly roleBindings: readonly (DefaultBinding & { readonly namespace: string })[];
}

export interface DefaultRole {
  readonly name: string;
  /** the value of the label that marks the cluster roles whose rules this role gathers; such a role has no rules of its own */
  readonly aggregate?: string;
  /** the role that gathers this one's rules */
  readonly aggregateTo?: string;
  readonly rules?: readonly DefaultRule[];
  /** the feature gates that must all be on for a cluster role to be made and bound; absent if it always is */
  readonly featureGates?: readonly string[];
}

export interface DefaultRule {
  readonly verbs: readonly string[];
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly nonResourceURLs?: readonly string[];
  /** the feature gates that must all be on for a rule of a cluster role to stand there; absent if it always does */
  readonly featureGates?: readonly string[];
}

export interface DefaultBinding {
  readonly name: string;
  /** the cluster role that is bound; either this or `role` is set */
  readonly clusterRole?: string;
  readonly role?: string;
  /** the binding of which this one takes subjects, labels and annotations where it is made while that one is there already */
  readonly like?: string;
  readonly subjects: readonly DefaultSubject[];
}

export type DefaultSubject =
  | { readonly user: string }
  | { readonly group: string }
  | { readonly serviceAccount: string; readonly namespace: string };
