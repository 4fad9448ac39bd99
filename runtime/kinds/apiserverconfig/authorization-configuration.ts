/** Who decides about requests: what a file given with --authorization-config must fulfil. Expressions are compiled by whoever evaluates them. */
import type {
  AuthorizationConfiguration,
  AuthorizerConfiguration,
  WebhookConfiguration,
} from '../../../generated/apiserverconfig/v1/types.ts';
import { type FieldError, invalid, notSupported, required } from '../../contract/field-error.ts';
import type { Identity } from '../../contract/identity.ts';
import type { KindRules } from '../../contract/kind-rules.ts';
import { dnsSubdomain } from '../../formats/names.ts';
import { joined, NONE } from '../../validation/joined.ts';
import { eachItem } from '../findings.ts';

const SPECIFIED_TYPES = ['Node', 'RBAC', 'Webhook'];
const FILE_CONNECTION = 'KubeConfigFile';
/** the same as a connection by file, in the words of the specification */
const SPECIFIED_FILE_CONNECTION = 'KubeConfig';

/** The specification knows fewer types than the release, and has the version for match conditions stated always. */
export function rules({ authorizationFileAsSpecified: asSpecified }: Identity): KindRules<AuthorizationConfiguration> {
  return {
    ...(asSpecified && { defaults: ({ authorizers }) => authorizers?.forEach(nameFileConnection) }),
    validate: ({ authorizers }) =>
      eachItem(authorizers, 'authorizers', ({ type, webhook }, at) =>
        joined(
          asSpecified && type && !SPECIFIED_TYPES.includes(type) ? [notSupported(`${at}.type`, type, SPECIFIED_TYPES)] : NONE,
          webhook === undefined || type !== 'Webhook' ? NONE : conditionVersion(webhook, `${at}.webhook`, asSpecified),
        ),
      ),
  };
}

function nameFileConnection({ webhook }: AuthorizerConfiguration): void {
  if (webhook?.connectionInfo.type === SPECIFIED_FILE_CONNECTION) webhook.connectionInfo.type = FILE_CONNECTION;
}

function conditionVersion(webhook: WebhookConfiguration, at: string, isNeeded: boolean): readonly FieldError[] {
  const { matchConditionSubjectAccessReviewVersion: version, matchConditions } = webhook;
  if (version || (!isNeeded && (matchConditions ?? []).length === 0)) return NONE;
  return [required(`${at}.matchConditionSubjectAccessReviewVersion`, 'required if match conditions are specified')];
}

export function authorizerName(name: string): readonly FieldError[] {
  const problems = dnsSubdomain(name);
  return problems.length > 0 ? [invalid('', name, `authorizer name is invalid: ${problems.join(', ')}`)] : NONE;
}
