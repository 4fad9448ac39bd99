import type { ServerResponse } from 'node:http';
import { whenClientGone } from './client-gone.ts';

/** Resolves when `sink` takes bytes again, or when the client of `response` is gone. */
export function drained(sink: NodeJS.WritableStream, response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const drain = (): void => {
      stay();
      resolve();
    };
    sink.once('drain', drain);
    const stay = whenClientGone(response, () => {
      sink.off('drain', drain);
      resolve();
    });
  });
}
