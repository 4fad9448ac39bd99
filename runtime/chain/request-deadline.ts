/** Limits how long a request may take. */
import type { Context, Next } from 'koa';
import { type ClientRequest, requestOf } from '../endpoints/request/client-request.ts';
import type { MeasuredRequests } from '../endpoints/request/measured-requests.ts';
import { isLongRunning } from '../endpoints/request/request-info.ts';
import { readDuration } from '../schema/scalar/duration.ts';
import { newBadRequest, newTimeout } from '../status/status.ts';
import { countAfterTimeout } from './after-timeout.ts';
import type { Deadlines } from './deadlines.ts';

/**
 * Makes the step that ends a request when its time is over. Long-running requests have no limit.
 * @param limit the milliseconds for a request; its query parameter `timeout` may shorten them
 * @param measured learns of requests whose work goes on after their deadline
 */
export function deadline(limit: number, deadlines: Deadlines, measured: Pick<MeasuredRequests, 'afterTimeout'>) {
  return (context: Context, next: Next): Promise<void> => {
    const request = requestOf(context);
    const { info } = request;
    if (isLongRunning(info)) return next();
    const wanted = info.query.get('timeout');
    const milliseconds = wanted === undefined || wanted === '' ? limit : Math.min(limit, requestedTimeout(wanted));
    request.deadline = performance.now() + milliseconds;
    const answered = next();
    return request.answer.hasEnded ? answered : within(request, answered, deadlines, milliseconds, measured);
  };
}

/** Settles as the request does, or rejects with StatusError Timeout when its time is over. */
function within(
  request: ClientRequest,
  answered: Promise<void>,
  deadlines: Deadlines,
  milliseconds: number,
  measured: Pick<MeasuredRequests, 'afterTimeout'>,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const deadline = deadlines.after(milliseconds, () => {
      const { spent } = request;
      const timeout = newTimeout(`request did not complete within the allotted timeout${spent === '' ? '' : `: ${spent}`}`);
      request.end(timeout);
      request.series?.terminated(timeout.code);
      reject(timeout);
      countAfterTimeout(request, answered, (source, status) => measured.afterTimeout(source, status));
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

/** Reads `timeout`. @returns milliseconds; a huge number for one that is not positive, so that the server's limit applies. @throws StatusError BadRequest */
function requestedTimeout(text: string): number {
  const nanoseconds = readDuration(text);
  if (typeof nanoseconds === 'string') throw newBadRequest(`invalid timeout specified in the request URL - ${nanoseconds}`);
  const milliseconds = Number(nanoseconds) / 1e6;
  return milliseconds > 0 ? milliseconds : Number.MAX_SAFE_INTEGER;
}
