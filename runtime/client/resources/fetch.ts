/** The global `fetch` over a client's own connections, credentials and trust. */
import { Readable } from 'node:stream';
import { bodyOf } from '../transport/read-body.ts';
import type { Transport, TransportAnswer } from '../transport/transport.ts';

/** Answers to these have no body. */
const BODILESS: ReadonlySet<number> = new Set([204, 205, 304]);

/**
 * @param path with its query; a body is sent whole
 * @throws TypeError for a request that is none; ConnectionError; the signal's reason
 */
export async function fetchOver(transport: Transport, path: string, init?: RequestInit): Promise<Response> {
  const wanted = new Request(new URL(path, transport.server), init);
  const body = wanted.body === null ? undefined : Buffer.from(await wanted.arrayBuffer());
  const headers = Object.fromEntries(wanted.headers);
  const { method, signal } = wanted;
  return responseOf(await transport.send({ method, path, headers, signal, isStream: true, ...(body !== undefined && { body }) }));
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
