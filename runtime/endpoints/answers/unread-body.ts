/** Answers to requests whose body nobody has read, or not to its end. */
import type { IncomingMessage } from 'node:http';
import type { Context } from 'koa';
import { answerOf } from '../../connections/client-answer.ts';
import { Part } from './chunks.ts';
import { sendBytes } from './respond.ts';

/** Milliseconds that a refused body may go on coming, as in 1.32: a connection that closes at once loses the answer on its way. */
const LINGER = 500;

/**
 * Answers at once, reads what comes of the body, and closes the connection where that does not end.
 * @param bytes not empty
 * @param linger milliseconds that the body may go on coming
 */
export async function sendUnread(
  context: Context,
  status: number,
  contentType: string,
  bytes: Buffer | string,
  linger = LINGER,
): Promise<void> {
  const { req, res } = context;
  if (req.complete || req.readableEnded || req.destroyed) return sendBytes(context, status, contentType, bytes);
  if (req.httpVersionMajor !== 1) {
    req.resume();
    return sendBytes(context, status, contentType, bytes);
  }
  res.setHeader('content-type', contentType);
  res.setHeader('content-length', Buffer.byteLength(bytes));
  const body = answerOf(context).stream(status);
  body.write(Part.of(Buffer.from(bytes)));
  // Node closes a connection that is not kept with the end of the answer; what it has not read by then would make that a reset.
  await bodyRead(req, linger);
  body.end();
}

/** Resolves when the body has ended, or the connection has. */
function bodyRead(request: IncomingMessage, linger: number): Promise<void> {
  return new Promise((resolve) => {
    const ended = (): void => {
      clearTimeout(timer);
      resolve();
    };
    // which closes the request as well
    const timer = setTimeout(() => request.socket.destroy(), linger).unref();
    request.once('end', ended).once('close', ended).resume();
  });
}
