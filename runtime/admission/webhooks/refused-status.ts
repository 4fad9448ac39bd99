/** The status by which a webhook refuses: its members are of the types of a status, or there is no answer. Clients may want it in any form, such as protobuf. */
import { reviewInt32, reviewInt64, reviewMember } from '../../outbound/webhook-review.ts';
import type { JsonObject } from '../../schema/json/member.ts';
import type { Status, StatusCause, StatusDetails } from '../../status/status.ts';

/** What counts of it. */
export interface RefusedStatus {
  readonly message: string;
  readonly reason: string;
  readonly code: number;
  /** what it says that the request has come to, other than success; absent where that is nothing */
  readonly status?: string;
  readonly metadata: Status['metadata'];
  readonly details?: StatusDetails;
}

const PATH = 'response.status';

/** @throws ReviewError for a member of another type */
export function refusedStatus(status: JsonObject): RefusedStatus {
  const place = (name: string, type = 'string') => ({ path: `Status.${PATH}.${name}`, type });
  for (const name of ['kind', 'apiVersion']) reviewMember(status, name, 'string', place(name));
  const outcome = reviewMember(status, 'status', 'string', place('status'));
  const metadata = reviewMember(status, 'metadata', 'object', place('metadata', 'v1.ListMeta'));
  const details = reviewMember(status, 'details', 'object', place('details', 'v1.StatusDetails'));
  return {
    message: reviewMember(status, 'message', 'string', place('message')) ?? '',
    reason: reviewMember(status, 'reason', 'string', place('reason', 'v1.StatusReason')) ?? '',
    code: reviewInt32(status, 'code', place('code').path) ?? 0,
    ...(outcome !== 'Success' && said('status', outcome)),
    metadata: metadata ? metadataOf(metadata) : {},
    ...(details && { details: detailsOf(details) }),
  };
}

function metadataOf(metadata: JsonObject): Status['metadata'] {
  const path = (name: string) => `ListMeta.${PATH}.metadata.${name}`;
  const text = (name: string) => said(name, reviewMember(metadata, name, 'string', { path: path(name), type: 'string' }));
  const count = reviewInt64(metadata, 'remainingItemCount', path('remainingItemCount'));
  return {
    ...text('selfLink'),
    ...text('resourceVersion'),
    ...text('continue'),
    // a count of zero is said, for it is one that may be absent
    ...(count !== undefined && { remainingItemCount: count }),
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
