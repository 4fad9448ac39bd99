import type { AuthorizationAttributes, Authorizer, Decision } from '../endpoints/api-server.ts';

export const SUPERUSER_GROUP = 'system:masters';

const ALLOWED: Decision = { decision: 'allow', reason: '' };
const NO_OPINION: Decision = { decision: 'noOpinion', reason: '' };

/** Members of system:masters may do everything: the one right that no policy can take away. */
export class SuperuserAuthorizer implements Authorizer {
  authorize(attributes: AuthorizationAttributes): Decision {
    return attributes.user.groups.includes(SUPERUSER_GROUP) ? ALLOWED : NO_OPINION;
  }
}

const OPEN_PATHS = new Set(['/healthz', '/livez', '/readyz', '/version', '/version/']);

/** Health and version may be read by everybody, as the default roles of 1.32 have it. */
export class OpenPathsAuthorizer implements Authorizer {
  authorize(attributes: AuthorizationAttributes): Decision {
    return !attributes.isResource && attributes.verb === 'get' && OPEN_PATHS.has(attributes.path) ? ALLOWED : NO_OPINION;
  }
}
