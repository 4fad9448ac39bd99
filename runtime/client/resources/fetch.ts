/** The global `fetch` over a client's own connections, credentials and trust. */
import { Readable } from 'node:stream';
import { bodyOf } from '../transport/read-body.ts';
import type { Transport, TransportAnswer } from '../transport/transport.ts';

/** Status codes of answers without a body. */
const BODILESS: ReadonlySet<number> = new Set([204, 205, 304]);

/**
 * @param path with its query; a body is read before the request is sent
 * @throws TypeError for an invalid request; ConnectionError; the signal's reason
 */
export async function fetchOver(transport: Transport, path: string, init?: RequestInit): Promise<Response> {
  const wanted = new Request(new URL(path, transport.server), init);
  // the signal of `wanted` may be collected while the answer lasts, because it follows the caller's signal by a weak reference
  const signal = init?.signal ?? wanted.signal;
  const body = wanted.body === null ? undefined : await wholeBody(wanted.body, signal);
  const headers = Object.fromEntries(wanted.headers);
  const { method } = wanted;
  return responseOf(await transport.send({ method, path, headers, signal, isStream: true, ...(body !== undefined && { body }) }));
}

/** Reads all of the stream. The signal cancels it, even if it never gives anything. @throws the signal's reason; the stream's error */
async function wholeBody(body: ReadableStream<Uint8Array>, signal: AbortSignal): Promise<Buffer> {
  const reader = body.getReader();
  // cancelling ends `read`, however the stream reacts
  const end = (): void => void reader.cancel(signal.reason).catch(() => {});
  const pieces: Uint8Array[] = [];
  signal.addEventListener('abort', end, { once: true });
  if (signal.aborted) end();
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) pieces.push(next.value);
    signal.throwIfAborted();
    return Buffer.concat(pieces);
  } catch (error) {
    // a stream that reacts to the signal itself may fail with another error
    signal.throwIfAborted();
    throw error;
  } finally {
    signal.removeEventListener('abort', end);
  }
}

function responseOf(answer: TransportAnswer): Response {
  const { statusCode: status, statusMessage: statusText = '', rawHeaders } = answer;
  const headers = new Headers();
  for (let i = 0; i < rawHeaders.length; i += 2) headers.append(rawHeaders[i] as string, rawHeaders[i + 1] as string);
  if (!BODILESS.has(status))
    return new Response(Readable.toWeb(bodyOf(answer)) as ReadableStream<Uint8Array>, { status, statusText, headers });
  answer.resume();
  return new Response(null, { status, statusText, headers });
}
