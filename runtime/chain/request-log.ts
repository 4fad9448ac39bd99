import type { AnswerEnd } from '../connections/client-answer.ts';
import type { ClientRequest } from '../endpoints/request/client-request.ts';
import type { Log } from '../observability/log.ts';

/** Is called for a request when its answer has ended. @param milliseconds the time since its head was read */
export type RequestObserver = (request: ClientRequest, method: string, end: AnswerEnd, milliseconds: number) => void;

/** A log that tells whether it takes lines of a source file. */
interface RequestsLog extends Log {
  isEnabled(level: 'debug', file: string): boolean;
}

/**
 * Logs a line for each request, if that is enabled. It contains the path without the query, which may contain secrets.
 * @returns a function to call for each request
 */
export function requestLog(log: RequestsLog): () => RequestObserver | undefined {
  const observer: RequestObserver = ({ id, info, user, answer }, method, end, milliseconds) => {
    const who = user === undefined ? {} : { user: user.name };
    const { status, length } = answer;
    log.debug({ requestId: id, method, path: info?.path, ...who, status, bytes: length, end, milliseconds }, 'a request is over');
  };
  return () => (log.isEnabled('debug', import.meta.url) ? observer : undefined);
}
