/** The modes AlwaysAllow and AlwaysDeny (specification: Authorization, "Modules and chain"). */
import type { Authorizer, Decision } from './authorizer.ts';
import type { UserRules } from './user-rules.ts';

const ALLOWED: Decision = { decision: 'allow', reason: '' };
const NO_OPINION: Decision = { decision: 'noOpinion', reason: 'Everything is forbidden.' };

export class AlwaysAllowAuthorizer implements Authorizer {
  authorize(): Decision {
    return ALLOWED;
  }

  rules(): UserRules {
    return {
      resourceRules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'], resourceNames: [] }],
      nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['*'] }],
      incomplete: false,
    };
  }
}

export class AlwaysDenyAuthorizer implements Authorizer {
  authorize(): Decision {
    return NO_OPINION;
  }

  rules(): UserRules {
    return { resourceRules: [], nonResourceRules: [], incomplete: false };
  }
}
