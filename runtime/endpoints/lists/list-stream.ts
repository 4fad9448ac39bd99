/** A list that is sent while it is read: what the client has not taken yet is never more than a slice. */
import type { ServerResponse } from 'node:http';
import type { Writable } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import { createGzip } from 'node:zlib';
import type { Context } from 'koa';
import type { Log } from '../api-server.ts';
import { drained } from '../drain.ts';
import { GZIP_LEVEL, markAsGzip, takesGzip } from '../respond.ts';
import type { Chunks, Part } from './chunks.ts';

export interface StreamedList {
  readonly contentType: string;
  readonly head: Buffer;
  /** fill the chunks; the first one has been read */
  readonly slices: Generator<void>;
  readonly chunks: Chunks;
  readonly end: string;
  readonly log: Log;
}

/** Ends when all is handed to the connection, or the client is gone. */
export async function streamList(context: Context, { contentType, head, slices, chunks, end, log }: StreamedList): Promise<void> {
  const response = context.res;
  context.respond = false;
  response.statusCode = 200;
  response.setHeader('content-type', contentType);
  const compressed = takesGzip(context);
  if (compressed) markAsGzip(response);
  const sink = compressed ? createGzip({ level: GZIP_LEVEL }) : response;
  if (sink !== response) sink.pipe(response);
  try {
    await write(sink, response, { bytes: head });
    for (;;) {
      for (const part of chunks.drain(false)) await write(sink, response, part);
      await turn();
      if (response.destroyed || slices.next().done === true) break;
    }
    for (const part of chunks.drain(true)) await write(sink, response, part);
    sink.end(end);
  } catch (error) {
    // The status line is out: a broken stream is the only way to say that the list is not whole.
    log.warn({ err: error }, 'a list broke off');
    response.destroy();
  }
}

async function write(sink: Writable, response: ServerResponse, { bytes, sent }: Part): Promise<void> {
  if (response.destroyed || sink.write(bytes, (error) => error ?? sent?.())) return;
  await drained(sink, response);
}
