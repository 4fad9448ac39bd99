/** The first member of the chain: gives a request its id, and makes a Status of any error behind it. */
import type { Context, Next } from 'koa';
import { headerLine } from '../connections/usual-headers.ts';
import { type AnswerServer, encodeStatus, wantsPretty } from '../endpoints/answers/respond.ts';
import { sendUnread } from '../endpoints/answers/unread-body.ts';
import { ClientRequest, requestOf, type Untraced } from '../endpoints/request/client-request.ts';
import { UnclearPath } from '../endpoints/request/request-info.ts';
import type { Log } from '../observability/log.ts';
import type { Metrics } from '../observability/metrics.ts';
import { newUuid } from '../schema/random-uuid.ts';
import { newBadRequest, newInternalError, newInternalErrorOf, newServiceUnavailable, resourceText, StatusError } from '../status/status.ts';
import { StorageEnded, ValueDamaged, ValueUndecryptable, ValueUnencryptable } from '../storage/errors.ts';
import { resourcePrefix } from '../storage/storage.ts';
import type { ChainParts, RequestAuditor } from './chain-parts.ts';
import type { RequestObserver } from './request-log.ts';

/** The parts of the server that are needed to answer errors. */
interface ErrorServer extends AnswerServer {
  readonly log: Log;
  readonly metrics: Pick<Metrics, 'counter'>;
}

/** Ids that are accepted from clients. They are safe in headers and in the log. */
const CLIENTS_ID = /^[\x21-\x7e]{1,256}$/;

const CACHE_CONTROL = headerLine('cache-control', 'no-cache, private');

/** Answers every error with a Status. Most errors that are not StatusErrors are faults of the server, whose texts go only to the log. */
export function renderStatus(server: ErrorServer, observer?: ChainParts['observer'], auditor?: RequestAuditor, untraced?: Untraced) {
  return (context: Context, next: Next): Promise<void> => {
    const given = context.req.headers['audit-id'];
    const requestId = typeof given === 'string' && CLIENTS_ID.test(given) ? given : newUuid();
    const request = new ClientRequest(requestId, context, untraced);
    context.state = request;
    const told = observer?.();
    if (told !== undefined) observe(request, context, told);
    // `CLIENTS_ID` allows only characters that are valid in headers
    request.answer.addUsual(`audit-id: ${requestId}\r\n${CACHE_CONTROL}`);
    const handled = (): void => request.recorder?.handled();
    return next().then(handled, (error) => {
      const known = knownStatus(server, error, requestId, context);
      const status = known ?? newInternalError(requestId);
      if (request.user === undefined) auditor?.refuse(request, context, status);
      else if (known === undefined) request.recorder?.failed();
      return sendError(server, context, status).finally(handled);
    });
  };
}

function observe(request: ClientRequest, { method }: Context, observer: RequestObserver): void {
  const begun = performance.now();
  request.answer.whenOver((end) => observer(request, method, end, performance.now() - begun));
}

/** @returns the answer to an error whose text the client may read; undefined for a fault of the server, which 1.32 treats as a panic */
function knownStatus(server: ErrorServer, error: unknown, requestId: string, context: Context): StatusError | undefined {
  if (error instanceof StatusError) return error;
  if (error instanceof UnclearPath) return newBadRequest(error.message);
  if (error instanceof URIError) return newBadRequest(`the path is not valid: ${error.message}`);
  if (error instanceof StorageEnded) return newServiceUnavailable('the store cannot be read: its disk fails');
  server.log.error({ err: error, requestId, method: context.method, path: context.path }, 'a request failed');
  // as in 1.32, whoever may read the object learns which one cannot be decrypted, and why
  if (error instanceof ValueUndecryptable)
    return newInternalErrorOf(`unable to transform key ${JSON.stringify(error.key)}: ${error.cipherProblem}`);
  if (error instanceof ValueUnencryptable) return newInternalErrorOf(error.message);
  if (error instanceof ValueDamaged && error.key !== undefined) {
    countDamage(server, error.key);
    return newInternalErrorOf(
      `the value of key ${JSON.stringify(error.key)} cannot be read: see the server's log for request ${requestId}`,
    );
  }
  return undefined;
}

/** Counts a damaged value each time that a request meets it, as in 1.32. */
function countDamage({ metrics, registry }: ErrorServer, key: string): void {
  const prefix = resourcePrefix(key);
  const stored = registry.current.storedAt(prefix);
  const resource = stored === undefined ? prefix : resourceText(stored.groupResource);
  metrics.counter('apiserver_storage_decode_errors_total').inc({ resource });
}

async function sendError(server: AnswerServer, context: Context, error: StatusError): Promise<void> {
  const { answer, recorder, series, trace, isOfResource } = requestOf(context);
  if (answer.hasBegun) {
    series?.aborted();
    return answer.break();
  }
  recorder?.outcome(error.status);
  recorder?.answers();
  const negotiated = server.negotiator.forErrors(context.req.headers.accept, isOfResource);
  const part = trace?.beginError(server.negotiator.contentType(negotiated), negotiated.encoding);
  const { contentType, bytes } = await encodeStatus(server, error.status, negotiated, wantsPretty(context, negotiated));
  part?.begins(Buffer.byteLength(bytes));
  const retryAfter = error.status.details?.retryAfterSeconds;
  if (retryAfter !== undefined && retryAfter > 0) context.res.setHeader('retry-after', String(retryAfter));
  const sent = sendUnread(context, error.code, contentType, bytes);
  await (part === undefined ? sent : part.until(sent));
}
