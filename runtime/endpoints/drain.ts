import type { ServerResponse } from 'node:http';

/** Resolves when `sink` takes bytes again, or when the client of `response` is gone. */
export function drained(sink: NodeJS.WritableStream, response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      sink.off('drain', done);
      response.off('close', done);
      resolve();
    };
    sink.on('drain', done);
    response.on('close', done);
  });
}
