/** How a request is refused for which policies could not be applied, in the words of 1.32. */
import { newForbidden, StatusError, type StatusReason } from '../../status/status.ts';
import type { Policy } from '../policies/configured-policies.ts';
import type { AdmissionAttributes } from '../request/attributes.ts';
import { shownName } from '../request/shown-name.ts';

export interface PolicyError {
  readonly policy: Policy;
  /** absent: it is the policy itself that cannot be used */
  readonly binding?: { readonly name: string };
  readonly message: string;
  /** absent: `Forbidden` */
  readonly reason?: StatusReason;
}

/** @param errors at least one: the first is told, all are causes. The code is that of `Forbidden`, whatever the reason, as in 1.32 */
export function refusal(errors: readonly PolicyError[], attributes: AdmissionAttributes): StatusError {
  const { status } = newForbidden(attributes.resource.groupResource, shownName(attributes), '');
  const causes = errors.map((error) => ({ message: textOf(error) }));
  const message = causes[0]?.message ?? '';
  return new StatusError({ ...status, message, reason: errors[0]?.reason ?? 'Forbidden', details: { ...status.details, causes } });
}

function textOf({ policy: { name }, binding, message }: PolicyError): string {
  const denied = `denied request: ${message}`;
  return binding === undefined ? `policy ${JSON.stringify(name)} ${denied}` : `policy '${name}' with binding '${binding.name}' ${denied}`;
}
