/** Reads the body of an answer, as a whole or in pieces. A compressed body is unpacked. */
import { pipeline, type Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { ConnectionError, type TransportAnswer } from './transport.ts';

/** Both names of gzip (RFC 9110 section 8.4.1.3). */
const GZIP = /^(?:x-)?gzip$/i;

/** The body as a stream. It fails if the answer ends too early. */
export function bodyOf(answer: TransportAnswer): Readable {
  if (!GZIP.test(answer.headers['content-encoding'] ?? '')) return answer;
  // the last stream passes errors to the reader
  return pipeline(answer, createGunzip(), () => {});
}

/**
 * Gives the pieces of the body as they arrive.
 * @param what of the request, for errors
 * @throws ConnectionError if the body is not complete; the reason of the signal
 */
export async function* readChunks(answer: TransportAnswer, what: string, signal?: AbortSignal): AsyncGenerator<Buffer, void> {
  // an error that the reader throws must not become a ConnectionError
  const chunks = bodyOf(answer)[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  try {
    for (;;) {
      const next = await chunks.next().catch((error: unknown) => {
        signal?.throwIfAborted();
        throw new ConnectionError(`${what}: the connection broke`, error);
      });
      if (next.done) return;
      yield next.value;
    }
  } finally {
    await chunks.return?.();
  }
}

/**
 * @param maxBytes the rest of a longer body is dropped and its connection ended; absent: all is read
 * @throws what `readChunks` throws
 */
export async function readText(
  answer: TransportAnswer,
  what: string,
  { signal, maxBytes = Number.POSITIVE_INFINITY }: ReadOptions = {},
): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of readChunks(answer, what, signal)) {
    chunks.push(chunk);
    size += chunk.length;
    if (size > maxBytes) break;
  }
  return Buffer.concat(chunks).toString('utf8', 0, Math.min(size, maxBytes));
}

export interface ReadOptions {
  readonly signal?: AbortSignal | undefined;
  readonly maxBytes?: number;
}
