/**
 * Whether anybody is still there to take an answer. Node's response on HTTP/2 has neither `destroyed` nor `closed`, takes what is written to it
 * without a word, and says `close` but once: who does not ask before they wait, waits for ever.
 */
import type { ServerResponse } from 'node:http';
import type { ServerHttp2Stream } from 'node:http2';

/** Also once the answer has ended. */
export function isClientGone(response: ServerResponse): boolean {
  const { stream } = response as { stream?: ServerHttp2Stream };
  return stream === undefined ? response.destroyed : stream.destroyed || stream.closed;
}

/**
 * Calls `listener` once when the client is gone or the answer has ended, at once where that is so already.
 * @returns what takes the listener away
 */
export function whenClientGone(response: ServerResponse, listener: () => void): () => void {
  if (isClientGone(response)) {
    listener();
    return () => {};
  }
  response.once('close', listener);
  return () => void response.off('close', listener);
}
