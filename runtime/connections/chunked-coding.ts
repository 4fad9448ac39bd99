/**
 * The chunked coding of HTTP/1.1, written by us: Node writes the length of a chunk, the chunk and its end one by one, and copies them together
 * before it encrypts them. Bytes that go to many clients, or were put together for one, come with both (RFC 9112 section 7.1).
 */
import type { ServerResponse } from 'node:http';

const LAST_CHUNK = '0\r\n\r\n';

/** Begins the answer, whose head is complete. @returns whether what is written to it from now on has to be chunks */
export function beginChunks(response: ServerResponse): boolean {
  response.flushHeaders();
  if (response.chunkedEncoding !== true) return false;
  response.chunkedEncoding = false;
  return true;
}

/** @param chunked what `beginChunks` returned */
export function endChunks(response: ServerResponse, chunked: boolean): void {
  if (chunked) response.end(LAST_CHUNK);
  else response.end();
}
