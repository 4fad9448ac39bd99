import type { AuthorizationAttributes, Authorizer, Decision, User } from '../endpoints/api-server.ts';
import type { UserRules } from '../kinds/authorization/self-subject-rules-review.ts';

export const SUPERUSER_GROUP = 'system:masters';

const ALLOWED: Decision = { decision: 'allow', reason: '' };
const NO_OPINION: Decision = { decision: 'noOpinion', reason: '' };
const NO_RULES: UserRules = { resourceRules: [], nonResourceRules: [], incomplete: false };

/** Members of system:masters may do everything: the one right that no policy can take away. */
export class SuperuserAuthorizer implements Authorizer {
  authorize(attributes: AuthorizationAttributes): Decision {
    return attributes.user.groups.includes(SUPERUSER_GROUP) ? ALLOWED : NO_OPINION;
  }

  rules(user: User): UserRules {
    if (!user.groups.includes(SUPERUSER_GROUP)) return NO_RULES;
    return {
      resourceRules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'], resourceNames: [] }],
      nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['*'] }],
      incomplete: false,
    };
  }
}

const OPEN_PATHS = new Set(['/healthz', '/livez', '/readyz', '/version', '/version/']);

/** Health and version may be read by everybody, as the default roles of 1.32 have it. */
export class OpenPathsAuthorizer implements Authorizer {
  authorize(attributes: AuthorizationAttributes): Decision {
    return !attributes.isResource && attributes.verb === 'get' && OPEN_PATHS.has(attributes.path) ? ALLOWED : NO_OPINION;
  }

  rules(): UserRules {
    return { ...NO_RULES, nonResourceRules: [{ verbs: ['get'], nonResourceURLs: [...OPEN_PATHS] }] };
  }
}
