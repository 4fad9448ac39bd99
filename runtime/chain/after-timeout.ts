/** What becomes of requests that go on when their time is over: their clients have been told, so it is counted, under the name of 1.32. */
import type { ClientRequest } from '../endpoints/client-request.ts';
import type { AfterTimeout } from '../observability/request-metrics.ts';
import { StatusError } from '../status/status.ts';

/** Milliseconds after which a write counts as one that does not end. */
const PATIENCE = 5 * 60_000;

/** What a handler of its own waits for in 1.32. */
const WRITES: ReadonlySet<string> = new Set(['create', 'update', 'patch', 'delete', 'deletecollection']);

/**
 * Counts the outcome of a request whose time is over now, and of the handler that writes for it, where one has begun.
 * @param answered settles when the request has come to its end
 * @param count told of each once; a request without an end is told of for its handler alone, after five minutes
 */
export function countAfterTimeout(
  { info, series }: Pick<ClientRequest, 'info' | 'series'>,
  answered: Promise<void>,
  count: (source: AfterTimeout['source'], status: AfterTimeout['status']) => void,
): void {
  let writes = series !== undefined && WRITES.has(info.verb);
  const written = (status: AfterTimeout['status']): void => {
    if (writes) count('rest-handler', status);
    writes = false;
  };
  const patience = setTimeout(() => written('pending'), PATIENCE).unref();
  const ended = (ofHandler: AfterTimeout['status'], ofRequest: AfterTimeout['status']): void => {
    clearTimeout(patience);
    written(ofHandler);
    count('timeout-handler', ofRequest);
  };
  answered.then(
    () => ended('ok', 'ok'),
    // what the server says of a request is an answer; anything else is a fault of its own
    (error) => (error instanceof StatusError ? ended('error', 'ok') : ended('panic', 'panic')),
  );
}
