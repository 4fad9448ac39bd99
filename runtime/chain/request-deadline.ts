/** How long a request may take. */
import type { Context, Next } from 'koa';
import { type ClientRequest, requestOf } from '../endpoints/client-request.ts';
import { isLongRunning } from '../endpoints/request-info.ts';
import { readDuration } from '../schema/scalar/duration.ts';
import { newBadRequest, newTimeout } from '../status/status.ts';
import type { Deadlines } from './deadlines.ts';

/** `timeout` of the query shortens the server's own limit. */
export function deadline(limit: number, deadlines: Deadlines) {
  return (context: Context, next: Next): Promise<void> => {
    const request = requestOf(context);
    const { info } = request;
    if (isLongRunning(info)) return next();
    const wanted = info.query.get('timeout');
    const milliseconds = wanted === undefined || wanted === '' ? limit : Math.min(limit, requestedTimeout(wanted));
    request.deadline = performance.now() + milliseconds;
    const answered = next();
    return request.answer.hasEnded ? answered : within(deadlines, milliseconds, answered, request);
  };
}

/** @throws StatusError Timeout; a promise rejects with it */
function within(deadlines: Deadlines, milliseconds: number, answered: Promise<void>, request: ClientRequest): Promise<void> {
  return new Promise((resolve, reject) => {
    const deadline = deadlines.after(milliseconds, () => {
      const { spent } = request;
      const timeout = newTimeout(`request did not complete within the allotted timeout${spent === '' ? '' : `: ${spent}`}`);
      request.end(timeout);
      request.series?.terminated(timeout.code);
      reject(timeout);
    });
    answered.then(
      () => {
        deadlines.callOff(deadline);
        resolve();
      },
      (error) => {
        deadlines.callOff(deadline);
        reject(error);
      },
    );
  });
}

/** Milliseconds; a timeout that is not positive leaves the server's own limit. @throws StatusError BadRequest */
function requestedTimeout(text: string): number {
  const nanoseconds = readDuration(text);
  if (typeof nanoseconds === 'string') throw newBadRequest(`invalid timeout specified in the request URL - ${nanoseconds}`);
  const milliseconds = Number(nanoseconds) / 1e6;
  return milliseconds > 0 ? milliseconds : Number.MAX_SAFE_INTEGER;
}
