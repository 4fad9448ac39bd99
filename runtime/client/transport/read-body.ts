/** The body of an answer: unpacked where the server has packed it, whole or as it comes. */
import { pipeline, type Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import type { TransportAnswer } from './transport.ts';

/** Whoever reads it hears of an answer that ends too early. */
export function bodyOf(answer: TransportAnswer): Readable {
  if (answer.headers['content-encoding'] !== 'gzip') return answer;
  // whoever reads is told of errors by the last stream
  return pipeline(answer, createGunzip(), () => {});
}

/** @param maxBytes what comes beyond is dropped, with the connection; absent: all is read */
export async function readText(answer: TransportAnswer, maxBytes = Number.POSITIVE_INFINITY): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of bodyOf(answer) as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    size += chunk.length;
    if (size > maxBytes) break;
  }
  return Buffer.concat(chunks).toString('utf8', 0, Math.min(size, maxBytes));
}
