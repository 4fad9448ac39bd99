import type { Identity } from '../contract/identity.ts';
import { withoutMarkup } from '../go-text/markup.ts';
import { goQuote } from '../go-text/quote.ts';
import { newForbidden, newForbiddenPath, newInternalErrorOf, type StatusError } from '../status/status.ts';
import type { AccessAttributes, Decision } from './authorizer.ts';

/** The answer to a request that is not allowed. Errors of authorizers are only in the log, because their texts may name internal machines. */
export function refusedBy(attributes: AccessAttributes, decision: Decision, { failedAuthorizationForbids }: Identity): StatusError {
  if (decision.error === undefined || failedAuthorizationForbids) return forbiddenBy(attributes, decision);
  return newInternalErrorOf('it could not be found out whether the request is allowed');
}

/** The message for the client: who may not do what, where, and the reason if an authorizer gave one. */
export function forbiddenBy(attributes: AccessAttributes, decision: Decision): StatusError {
  const because = decision.reason === '' ? '' : `: ${decision.reason}`;
  const text = withoutMarkup(refusedText(attributes)) + because;
  if (!attributes.isResource) return newForbiddenPath(text);
  return newForbidden({ group: attributes.group, resource: attributes.resource }, attributes.name, text);
}

function refusedText(attributes: AccessAttributes): string {
  const user = `User ${goQuote(attributes.user.name)}`;
  if (!attributes.isResource) return `${user} cannot ${attributes.verb} path ${goQuote(attributes.path)}`;
  const resource = attributes.subresource === '' ? attributes.resource : `${attributes.resource}/${attributes.subresource}`;
  const where = attributes.namespace === '' ? 'at the cluster scope' : `in the namespace ${goQuote(attributes.namespace)}`;
  return `${user} cannot ${attributes.verb} resource ${goQuote(resource)} in API group ${goQuote(attributes.group)} ${where}`;
}
