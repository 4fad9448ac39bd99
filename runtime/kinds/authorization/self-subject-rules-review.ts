import type { ApiObject } from '../../contract/object.ts';
import { newBadRequest } from '../../status/status.ts';
import type { User } from '../authentication/user-info.ts';
import type { Struct } from '../struct.ts';

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
  /** an authorizer takes part that cannot list its rules */
  readonly incomplete: boolean;
  /** what could not be looked up, such as the role of a binding */
  readonly error?: string;
}

/** All that a user may do in a namespace and outside namespaces, in the order in which authorizers would look. */
export type RulesFor = (user: User, namespace: string) => UserRules | Promise<UserRules>;

/**
 * Lists what callers may do themselves. The answer echoes nothing of the question.
 * @throws StatusError BadRequest without a namespace
 */
export async function reviewSelfRules({ kind, apiVersion, spec }: ApiObject, user: User, rulesFor: RulesFor): Promise<ApiObject> {
  const namespace = spec.namespace ?? '';
  if (namespace === '') throw newBadRequest('no namespace on request');
  const { resourceRules, nonResourceRules, incomplete, error } = await rulesFor(user, namespace);
  return {
    kind,
    apiVersion,
    metadata: { creationTimestamp: null },
    spec: {},
    status: {
      resourceRules: resourceRules.map(resourceRule),
      nonResourceRules: nonResourceRules.map(nonResourceRule),
      incomplete,
      ...(error !== undefined && { evaluationError: error }),
    },
  };
}

function resourceRule({ verbs, apiGroups, resources, resourceNames }: ResourceRule): Struct {
  return {
    verbs,
    ...(apiGroups.length > 0 && { apiGroups }),
    ...(resources.length > 0 && { resources }),
    ...(resourceNames.length > 0 && { resourceNames }),
  };
}

function nonResourceRule({ verbs, nonResourceURLs }: NonResourceRule): Struct {
  return { verbs, ...(nonResourceURLs.length > 0 && { nonResourceURLs }) };
}
