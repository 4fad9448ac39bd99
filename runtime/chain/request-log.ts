import type { AnswerEnd } from '../connections/client-answer.ts';
import type { ClientRequest } from '../endpoints/client-request.ts';
import type { Log } from '../observability/log.ts';

/** Is told of each request when nothing more leaves for it. @param milliseconds since its head was read */
export type RequestObserver = (request: ClientRequest, method: string, end: AnswerEnd, milliseconds: number) => void;

/** One line for each request. It has the path without the query, which may hold what is no one else's to read. */
export function requestLog(log: Log): RequestObserver {
  return ({ id, info, user, answer }, method, end, milliseconds) => {
    const who = user === undefined ? {} : { user: user.name };
    const { status, length } = answer;
    log.debug({ requestId: id, method, path: info?.path, ...who, status, bytes: length, end, milliseconds }, 'a request is over');
  };
}
