/** An answer in parts: each is written when the connection has taken the one before, so that a client holds no more of our memory than that. */
import { createGzip } from 'node:zlib';
import type { Context } from 'koa';
import { answerOf } from '../../connections/client-answer.ts';
import { isClientGone } from '../../connections/client-gone.ts';
import { drained } from '../../connections/drain.ts';
import type { Log } from '../../observability/log.ts';
import type { Part } from '../answers/chunks.ts';
import { GZIP_LEVEL, GZIP_THRESHOLD, markAsGzip, sendBytes, takesGzip } from '../answers/respond.ts';
import { requestOf } from '../request/client-request.ts';

export interface LongAnswer {
  readonly contentType: string;
  /** bytes of all parts; absent where they are not known before the last one */
  readonly length?: number;
  /** may throw, also where the beginning is out already; one at least */
  readonly parts: Iterable<Part> | AsyncIterable<Part>;
  readonly log: Log;
}

/**
 * Ends when all is handed to the connection, or the client is gone. What is short goes out at once, as other short answers do.
 * @throws what `parts` throws before its first one
 */
export function sendParts(context: Context, answer: LongAnswer): Promise<void> {
  return answer.length !== undefined && answer.length <= GZIP_THRESHOLD ? sendAtOnce(context, answer) : sendOneByOne(context, answer);
}

async function sendAtOnce(context: Context, answer: LongAnswer): Promise<void> {
  const parts = await Array.fromAsync(answer.parts);
  const bytes = parts.map((part) => part.bytes);
  context.res.once('finish', () => {
    for (const part of parts) part.sent();
  });
  requestOf(context).trace?.tellWriting(answer.length);
  return sendBytes(context, 200, answer.contentType, bytes.length === 1 ? (bytes[0] as Buffer) : Buffer.concat(bytes));
}

/** The answer begins when its first part is there: what goes wrong before that can be told by a status. */
async function sendOneByOne(context: Context, { contentType, length, parts, log }: LongAnswer): Promise<void> {
  const response = context.res;
  const client = requestOf(context);
  const { answer } = client;
  let sink: Sink | undefined;
  try {
    for await (const part of parts) {
      // without a sink of ours, what has begun says that the time is over
      if (isClientGone(response) || (sink === undefined && answer.hasBegun)) return;
      sink ??= beginAnswer(context, contentType, length);
      const taken = sink.write(part);
      if (taken !== undefined) await client.rests(taken);
    }
    (sink ?? beginAnswer(context, contentType, length)).end();
  } catch (error) {
    if (sink === undefined) throw error;
    // The status line is out: a broken stream is the only way to say that the list is not whole.
    if (!isClientGone(response)) log.warn({ err: error }, 'a list broke off');
    answer.break();
  }
}

function beginAnswer(context: Context, contentType: string, length: number | undefined): Sink {
  context.res.setHeader('content-type', contentType);
  requestOf(context).trace?.tellWriting(length);
  return takesGzip(context) ? compressed(context) : plain(context, length);
}

interface Sink {
  write(part: Part): Promise<void> | undefined;
  end(): void;
}

function compressed(context: Context): Sink {
  markAsGzip(context.res);
  const gzip = createGzip({ level: GZIP_LEVEL });
  answerOf(context).pipe(200, gzip);
  return {
    write: (part) => (gzip.write(part.bytes, (error) => error ?? part.sent()) ? undefined : drained(gzip, context.res)),
    end: () => void gzip.end(),
  };
}

function plain(context: Context, length: number | undefined): Sink {
  if (length !== undefined) context.res.setHeader('content-length', length);
  const body = answerOf(context).stream(200);
  return {
    write: (part) => (body.write(part, () => part.sent()) ? undefined : body.drained()),
    end: () => body.end(),
  };
}
