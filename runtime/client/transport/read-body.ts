/** The body of an answer: unpacked where the server has packed it, whole or as it comes. */
import { pipeline, type Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { ConnectionError, type TransportAnswer } from './transport.ts';

/** Both of its names (RFC 9110 section 8.4.1.3). */
const GZIP = /^(?:x-)?gzip$/i;

/** Whoever reads it hears of an answer that ends too early. */
export function bodyOf(answer: TransportAnswer): Readable {
  if (!GZIP.test(answer.headers['content-encoding'] ?? '')) return answer;
  // whoever reads is told of errors by the last stream
  return pipeline(answer, createGunzip(), () => {});
}

/**
 * Pieces of the body as they come.
 * @param what of the request, for errors
 * @throws ConnectionError where the body is not whole; the reason of the signal
 */
export async function* readChunks(answer: TransportAnswer, what: string, signal?: AbortSignal): AsyncGenerator<Buffer, void> {
  // an error of whoever reads is none of the connection
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
 * @param maxBytes what comes beyond is dropped, with the connection; absent: all is read
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
