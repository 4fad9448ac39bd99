/** Makes the request to a backend from the client's. */

import type { IncomingMessage } from 'node:http';
import type { Context } from 'koa';
import { liftArrivalLimit } from '../connections/arrival.ts';
import { whenClientGone } from '../connections/client-gone.ts';
import { exchangeProblem } from '../connections/connection-problem.ts';
import { ExchangeError } from '../connections/exchange-error.ts';
import { namesUpgrade, upgradeProtocol } from '../connections/upgrade.ts';
import { DialError, type Target } from './dial.ts';
import type { Outgoing } from './exchange.ts';
import { requestHeaders } from './headers.ts';

/** Aborted when the client is gone before its answer has ended. */
export function clientSignal({ res: response }: Context): AbortSignal {
  const controller = new AbortController();
  whenClientGone(response, () => controller.abort());
  return controller.signal;
}

/** The message for the client when an exchange failed. @throws the error itself if it did not come from the connection or the other server */
export function failureText(error: unknown): string {
  if (error instanceof DialError || error instanceof ExchangeError) return error.message;
  if (isSystemError(error)) return exchangeProblem(error);
  throw error;
}

/** As `failureText`, for a request to switch protocols. As in 1.32 the words tell whether the other server was reached. */
export function switchFailureText(error: unknown): string {
  const text = failureText(error);
  if (error instanceof DialError) return `error dialing backend: ${text}`;
  return unexpectedEnd(text);
}

/** As 1.32 tells the end of a connection on which it awaits the answer to a request to switch. */
export const unexpectedEnd = (text: string): string => (text === 'EOF' ? 'unexpected EOF' : text);

function isSystemError(error: unknown): error is Error & { code: string } {
  return error instanceof Error && 'code' in error && typeof error.code === 'string';
}

/** The same request, with the same body, for another server. The body may take any time to arrive. @param path percent-encoded, with the query */
export function forwarded(request: IncomingMessage, target: Target, path: string): Outgoing {
  const upgrade = wantedSwitch(request);
  liftArrivalLimit(request);
  return {
    target,
    method: request.method as string,
    path,
    headers: [...requestHeaders(request), ...(unpacks(request) ? ['Accept-Encoding', 'gzip'] : [])],
    ...(hasBody(request) && { body: request, bodyLength: request.headers['content-length'] }),
    ...(upgrade !== undefined && { upgrade }),
  };
}

/** As in 1.32 a request asks for a switch by `Connection` alone, and may say not to what. */
function wantedSwitch(request: IncomingMessage): string | undefined {
  if (upgradeProtocol(request) !== '') return request.headers.upgrade;
  return namesUpgrade(request) ? '' : undefined;
}

/**
 * Whether this server asks for a compressed answer by itself, and unpacks it: where the client has not said which encodings it takes, and wants neither a
 * range of the bytes nor a switch (as in 1.32).
 */
export function unpacks(request: IncomingMessage): boolean {
  const { method, headers } = request;
  return (
    method !== 'HEAD' && (headers['accept-encoding'] ?? '') === '' && headers.range === undefined && wantedSwitch(request) === undefined
  );
}

/** Whether the request has a body, by its framing headers, which the listener has checked. */
function hasBody(request: IncomingMessage): boolean {
  const length = request.headers['content-length'];
  if (length !== undefined) return length !== '0';
  if (request.httpVersionMajor === 1) return request.headers['transfer-encoding'] !== undefined;
  return !request.readableEnded && !(request as { stream?: { endAfterHeaders?: boolean } }).stream?.endAfterHeaders;
}
