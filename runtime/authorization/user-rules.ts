/** Everything that a user may do, as far as it can be listed. */

export interface ResourceRule {
  readonly verbs: readonly string[];
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly resourceNames: readonly string[];
}

export interface NonResourceRule {
  readonly verbs: readonly string[];
  readonly nonResourceURLs: readonly string[];
}

export interface UserRules {
  readonly resourceRules: readonly ResourceRule[];
  readonly nonResourceRules: readonly NonResourceRule[];
  /** whether some authorizer cannot list its rules */
  readonly incomplete: boolean;
  /** what could not be found, such as the role of a binding */
  readonly error?: string;
}
