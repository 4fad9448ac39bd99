import type { AccessAttributes, Authorizer, Decision } from './authorizer.ts';
import type { UserRules } from './user-rules.ts';

export const SUPERUSER_GROUP = 'system:masters';

const ALLOWED: Decision = { decision: 'allow', reason: '' };
const NO_OPINION: Decision = { decision: 'noOpinion', reason: '' };
const NO_RULES: UserRules = { resourceRules: [], nonResourceRules: [], incomplete: false };

/** Members of system:masters may do everything. No policy can take away this right. */
export class SuperuserAuthorizer implements Authorizer {
  authorize(attributes: AccessAttributes): Decision {
    return attributes.user.groups.includes(SUPERUSER_GROUP) ? ALLOWED : NO_OPINION;
  }

  /** Lists nothing, as in 1.32: where roles count, the role cluster-admin lists the same rights. */
  rules(): UserRules {
    return NO_RULES;
  }
}
