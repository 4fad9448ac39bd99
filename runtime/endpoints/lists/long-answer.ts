/** An answer in parts: each is written when the connection has taken the one before, so that a client holds no more of our memory than that. */
import type { ServerResponse } from 'node:http';
import type { Writable } from 'node:stream';
import { createGzip } from 'node:zlib';
import type { Context } from 'koa';
import { beginChunks, endChunks } from '../../connections/chunked-coding.ts';
import { isClientGone } from '../../connections/client-gone.ts';
import { drained } from '../../connections/drain.ts';
import type { Log } from '../../observability/log.ts';
import type { Part } from '../chunks.ts';
import { GZIP_LEVEL, GZIP_THRESHOLD, markAsGzip, sendBytes, takesGzip } from '../respond.ts';

export interface LongAnswer {
  readonly contentType: string;
  /** bytes of all parts; absent where they are not known before the last one */
  readonly length?: number;
  /** may throw, also where the beginning is out already */
  readonly parts: Iterable<Part> | AsyncIterable<Part>;
  readonly log: Log;
}

/** Ends when all is handed to the connection, or the client is gone. What is short goes out at once, as other short answers do. */
export function sendParts(context: Context, answer: LongAnswer): Promise<void> {
  return answer.length !== undefined && answer.length <= GZIP_THRESHOLD ? sendAtOnce(context, answer) : sendOneByOne(context, answer);
}

async function sendAtOnce(context: Context, answer: LongAnswer): Promise<void> {
  const parts = await Array.fromAsync(answer.parts);
  const bytes = parts.map((part) => part.bytes);
  context.res.once('finish', () => {
    for (const part of parts) part.sent();
  });
  return sendBytes(context, 200, answer.contentType, bytes.length === 1 ? (bytes[0] as Buffer) : Buffer.concat(bytes));
}

async function sendOneByOne(context: Context, { contentType, length, parts, log }: LongAnswer): Promise<void> {
  const response = context.res;
  context.respond = false;
  response.statusCode = 200;
  response.setHeader('content-type', contentType);
  try {
    const sink = takesGzip(context) ? compressed(response) : plain(response, length);
    for await (const part of parts) {
      if (isClientGone(response)) return;
      await sink.write(part);
    }
    sink.end();
  } catch (error) {
    // The status line is out: a broken stream is the only way to say that the list is not whole.
    log.warn({ err: error }, 'a list broke off');
    response.destroy();
  }
}

interface Sink {
  write(part: Part): Promise<void> | undefined;
  end(): void;
}

function compressed(response: ServerResponse): Sink {
  markAsGzip(response);
  const gzip = createGzip({ level: GZIP_LEVEL });
  gzip.pipe(response);
  return {
    write: (part) => taken(gzip, response, part, part.bytes),
    end: () => void gzip.end(),
  };
}

function plain(response: ServerResponse, length: number | undefined): Sink {
  if (length !== undefined) response.setHeader('content-length', length);
  const chunked = beginChunks(response);
  return {
    write: (part) => taken(response, response, part, chunked ? part.framed : part.bytes),
    end: () => endChunks(response, chunked),
  };
}

function taken(sink: Writable, response: ServerResponse, part: Part, bytes: Buffer): Promise<void> | undefined {
  if (sink.write(bytes, (error) => error ?? part.sent())) return undefined;
  return drained(sink, response);
}
