import type { NonResourceRule, ResourceRule } from '../../../generated/authorization/v1/types.ts';
import type { ApiObject } from '../../contract/object.ts';
import type { User } from '../../contract/request-context.ts';
import { newBadRequest } from '../../status/status.ts';
import type { UserRules } from '../user-rules.ts';

/** Lists everything that a user may do in a namespace and outside of namespaces, in the order of the authorizers. */
export type RulesFor = (user: User, namespace: string) => UserRules | Promise<UserRules>;

/**
 * Lists what the caller may do. The answer does not repeat the question.
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

function resourceRule({ verbs, apiGroups, resources, resourceNames }: UserRules['resourceRules'][number]): ResourceRule {
  return {
    verbs: [...verbs],
    ...(apiGroups.length > 0 && { apiGroups: [...apiGroups] }),
    ...(resources.length > 0 && { resources: [...resources] }),
    ...(resourceNames.length > 0 && { resourceNames: [...resourceNames] }),
  };
}

function nonResourceRule({ verbs, nonResourceURLs }: UserRules['nonResourceRules'][number]): NonResourceRule {
  return { verbs: [...verbs], ...(nonResourceURLs.length > 0 && { nonResourceURLs: [...nonResourceURLs] }) };
}
