/** How webhooks refuse, and how it is said that one could not be asked, in the words of 1.32. */

import type { JsonObject } from '../../schema/member.ts';
import { numberText } from '../../schema/scalar/raw-number.ts';
import { newBadRequest, type Status, StatusError } from '../../status/status.ts';

/** A webhook that gave no answer: its failure policy says what comes of it. The message is for clients. */
export class CallError extends Error {
  override readonly name = 'CallError';
  /** of what the webhook answered; else that it is unavailable */
  readonly code: number;

  /** @param webhook its name */
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

/** Characters of a webhook's own message. */
const SHOWN = 64 * 1_024;
const [BAD_REQUEST, LAST] = [400, 599];

/** @param status as the webhook says it; what is no member of a status, or none of its type, is left out */
export function newDenial(webhook: string, status: JsonObject = {}): Denial {
  const text = (name: string): string => (typeof status[name] === 'string' ? status[name].slice(0, SHOWN) : '');
  const said = Number(numberText(status.code) ?? 0);
  const [message, reason] = [text('message'), text('reason')];
  const deniedBy = `admission webhook ${JSON.stringify(webhook)} denied the request`;
  const details =
    typeof status.details === 'object' && status.details !== null ? (status.details as NonNullable<Status['details']>) : undefined;
  return new Denial({
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message: message || reason ? `${deniedBy}: ${message || reason}` : `${deniedBy} without explanation`,
    ...(reason !== '' && { reason: reason as NonNullable<Status['reason']> }),
    ...(details && { details }),
    code: said < BAD_REQUEST ? BAD_REQUEST : Math.min(Math.trunc(said), LAST),
  });
}
