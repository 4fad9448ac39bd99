/**
 * Counts the outcomes of requests whose work goes on after their deadline, under the name of 1.32. Their clients have had an answer already, so nobody else
 * learns of them.
 */
import type { ClientRequest } from '../endpoints/request/client-request.ts';
import type { AfterTimeout } from '../observability/request-metrics.ts';
import { StatusError } from '../status/status.ts';

/** Milliseconds after the deadline at which a write that has not ended is counted as pending. */
const PATIENCE = 5 * 60_000;

/** The verbs for which 1.32 has a separate handler that waits for the write. */
const WRITES: ReadonlySet<string> = new Set(['create', 'update', 'patch', 'delete', 'deletecollection']);

/**
 * Counts the outcome of a request whose deadline passes now, and of the handler that writes for it, if that has begun.
 * @param answered settles when the request has ended
 * @param count is called at most once for each of both; if a write does not end within five minutes, its handler is counted as pending
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
    // a StatusError is an answer to the client; any other error is a fault of the server, which counts as a panic does in 1.32
    (error) => (error instanceof StatusError ? ended('error', 'ok') : ended('panic', 'panic')),
  );
}
