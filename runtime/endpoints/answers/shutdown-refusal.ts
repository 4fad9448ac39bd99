/** Refuses new requests while a server waits for those under way (--shutdown-send-retry-after), as 1.32 does: clients try again elsewhere. */
import type { ServerHttp2Stream } from 'node:http2';
import type { Context, Next } from 'koa';
import { answerOf } from '../../connections/client-answer.ts';
import { requestOf } from '../request/client-request.ts';
import { sendUnread } from './unread-body.ts';

/** Beginnings of paths that are still answered: whoever looks after the server learns how it is. */
const ANSWERED = ['/readyz', '/livez', '/healthz', '/metrics'];
const TRY_AGAIN = Buffer.from('The apiserver is shutting down, please try again later.\n');
const RETRY_AFTER_SECONDS = '5';

export class ShutdownRefusal {
  #refuses = false;
  readonly #linger: number | undefined;

  /** @param linger milliseconds that the body of a refused request may go on coming; default: as for every refusal */
  constructor(linger?: number) {
    this.#linger = linger;
  }

  /** Stands in the chain behind the step that reads what the URL names. */
  readonly middleware = (context: Context, next: Next): Promise<void> => {
    const { info } = requestOf(context);
    return this.#refuses && !ANSWERED.some((path) => info.path.startsWith(path)) ? refuse(context, this.#linger) : next();
  };

  /** Takes no more requests. */
  begin(): void {
    this.#refuses = true;
  }
}

async function refuse(context: Context, linger?: number): Promise<void> {
  const { req, res } = context;
  answerOf(context).removeUsual('cache-control');
  res.setHeader('retry-after', RETRY_AFTER_SECONDS);
  res.setHeader('x-content-type-options', 'nosniff');
  // as Go's servers take it: on HTTP/2 the client is told to connect anew
  if (req.httpVersionMajor === 1) res.setHeader('connection', 'close');
  await sendUnread(context, 429, 'text/plain; charset=utf-8', TRY_AGAIN, linger);
  if ('stream' in req) (req.stream as ServerHttp2Stream).session?.close();
}
