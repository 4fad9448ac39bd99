/** How webhooks refuse, and how it is said that one could not be asked, in the words of 1.32. */

import { NOBODY_WAITS } from '../../status/nobody-waits.ts';
import { hasReason, newBadRequest, type Status, StatusError } from '../../status/status.ts';
import type { RefusedStatus } from './refused-status.ts';

/** A webhook that gave no answer: its failure policy says what comes of it. The message is for clients. */
export class CallError extends Error {
  override readonly name = 'CallError';
  /** the status code that the webhook has answered with; otherwise the code for an unavailable service */
  readonly code: number;

  /** @param webhook the name of the webhook */
  constructor(webhook: string, reason: string, code = UNAVAILABLE) {
    super(`failed calling webhook ${JSON.stringify(webhook)}: ${reason}`);
    this.code = code;
  }
}

const UNAVAILABLE = 503;

export const newDryRunUnsupported = (webhook: string): StatusError =>
  newBadRequest(`admission webhook ${JSON.stringify(webhook)} does not support dry run`);

/** That a webhook has refused the request. */
export class Denial extends StatusError {}

/** Whether a webhook gave no answer, which includes that the time of the request was over first. It is no failure of a webhook that the client has gone, as in 1.32. */
export const isFailure = (error: unknown): boolean =>
  error instanceof CallError || (hasReason(error, 'Timeout') && error !== NOBODY_WAITS && !(error instanceof Denial));

/** The most characters of a webhook's own message that clients are shown. */
const SHOWN = 64 * 1_024;
/** The codes of refusals. 1.32 passes on any from 400; clients that use the Fetch standard can show none beyond 599. */
const [BAD_REQUEST, LAST] = [400, 599];

/** Makes the refusal of a webhook. @param status the status in its answer; absent if it has none */
export function newDenial(webhook: string, status?: RefusedStatus): Denial {
  const message = status?.message.slice(0, SHOWN) ?? '';
  const reason = status?.reason.slice(0, SHOWN) ?? '';
  const said = status?.code ?? 0;
  const deniedBy = `admission webhook ${JSON.stringify(webhook)} denied the request`;
  return new Denial({
    kind: 'Status',
    apiVersion: 'v1',
    metadata: status?.metadata ?? {},
    status: (status?.status ?? 'Failure') as Status['status'],
    message: message || reason ? `${deniedBy}: ${message || reason}` : `${deniedBy} without explanation`,
    ...(reason !== '' && { reason: reason as NonNullable<Status['reason']> }),
    ...(status?.details && { details: status.details }),
    code: said < BAD_REQUEST ? BAD_REQUEST : Math.min(said, LAST),
  });
}
