/** The status by which a webhook refuses: its members are of the types of a status, or there is no answer. Clients may want it in any form, such as protobuf. */
import { reviewInt32, reviewMember } from '../../outbound/webhook-review.ts';
import type { JsonObject } from '../../schema/json/member.ts';
import type { StatusCause, StatusDetails } from '../../status/status.ts';

/** What counts of it. */
export interface RefusedStatus {
  readonly message: string;
  readonly reason: string;
  readonly code: number;
  readonly details?: StatusDetails;
}

const PATH = 'response.status';

/** @throws ReviewError for a member of another type */
export function refusedStatus(status: JsonObject): RefusedStatus {
  const place = (name: string, type = 'string') => ({ path: `Status.${PATH}.${name}`, type });
  for (const name of ['kind', 'apiVersion', 'status']) reviewMember(status, name, 'string', place(name));
  reviewMember(status, 'metadata', 'object', place('metadata', 'v1.ListMeta'));
  const details = reviewMember(status, 'details', 'object', place('details', 'v1.StatusDetails'));
  return {
    message: reviewMember(status, 'message', 'string', place('message')) ?? '',
    reason: reviewMember(status, 'reason', 'string', place('reason', 'v1.StatusReason')) ?? '',
    code: reviewInt32(status, 'code', place('code').path) ?? 0,
    ...(details && { details: detailsOf(details) }),
  };
}

function detailsOf(details: JsonObject): StatusDetails {
  const place = (name: string, type = 'string') => ({ path: `StatusDetails.${PATH}.details.${name}`, type });
  const text = (name: string, type?: string) => said(name, reviewMember(details, name, 'string', place(name, type)));
  const causes = reviewMember(details, 'causes', 'array', place('causes', '[]v1.StatusCause'));
  return {
    ...text('name'),
    ...text('group'),
    ...text('kind'),
    ...text('uid', 'types.UID'),
    ...said(
      'causes',
      causes?.map((cause) => causeOf(reviewMember({ cause }, 'cause', 'object', place('causes', 'v1.StatusCause')) ?? {})),
    ),
    ...said('retryAfterSeconds', reviewInt32(details, 'retryAfterSeconds', place('retryAfterSeconds').path)),
  };
}

function causeOf(cause: JsonObject): StatusCause {
  const text = (name: string, type = 'string') =>
    said(name, reviewMember(cause, name, 'string', { path: `StatusCause.${PATH}.details.causes.${name}`, type }));
  return { ...text('reason', 'v1.CauseType'), ...text('message'), ...text('field') };
}

/** A member that is there only where it says something. */
const said = (name: string, value: unknown): JsonObject => (value ? { [name]: value } : {});
