import type { AnswerEnd } from '../connections/client-answer.ts';
import type { ClientRequest } from '../endpoints/client-request.ts';
import type { Log } from '../observability/log.ts';

/** Is told of each request when nothing more leaves for it. @param milliseconds since its head was read */
export type RequestObserver = (request: ClientRequest, method: string, end: AnswerEnd, milliseconds: number) => void;

/** A log that says whether it wants lines of the file that asks. */
interface RequestsLog extends Log {
  isEnabled(level: 'debug', file: string): boolean;
}

/**
 * One line for each request, where there shall be some. It has the path without the query, which may hold what is no one else's to read.
 * @returns to be asked with each request
 */
export function requestLog(log: RequestsLog): () => RequestObserver | undefined {
  const observer: RequestObserver = ({ id, info, user, answer }, method, end, milliseconds) => {
    const who = user === undefined ? {} : { user: user.name };
    const { status, length } = answer;
    log.debug({ requestId: id, method, path: info?.path, ...who, status, bytes: length, end, milliseconds }, 'a request is over');
  };
  return () => (log.isEnabled('debug', import.meta.url) ? observer : undefined);
}
