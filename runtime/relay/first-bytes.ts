import type { Readable } from 'node:stream';

/**
 * The first bytes that come, which stay in the stream.
 * @param limit milliseconds. @returns undefined if none have come by then, or none come
 */
export function firstBytes(stream: Readable, limit?: number): Promise<Buffer | undefined> {
  stream.on('error', () => {});
  if (stream.destroyed || isEmpty(stream)) return Promise.resolve(undefined);
  return new Promise((resolve) => {
    const done = (bytes?: Buffer): void => {
      clearTimeout(timer);
      stream.off('readable', look);
      stream.off('close', done);
      resolve(bytes);
    };
    const look = (): void => {
      // the end: to read it would end the stream before anybody else listens
      if (stream.readableLength === 0) return done();
      const bytes: Buffer = stream.read();
      stream.unshift(bytes);
      done(bytes);
    };
    const timer = limit === undefined ? undefined : setTimeout(done, limit);
    stream.on('readable', look);
    stream.once('close', () => done());
  });
}

/** Whether it is the body of a message that has come whole, without a byte: whoever listens for bytes ends it. */
function isEmpty(stream: Readable & { readonly complete?: boolean }): boolean {
  return stream.complete === true && stream.readableLength === 0;
}
