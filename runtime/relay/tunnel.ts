/** Joins two connections: the bytes of each go to the other, as fast as that one takes them. */
import type { Duplex } from 'node:stream';

/** Milliseconds in which a connection must take the remaining bytes once the other one is closed. */
const LINGER = 30_000;

/** When one connection closes, the other gets the remaining bytes and ends. Resolves when both sources are closed. */
export async function join(one: Duplex, other: Duplex): Promise<void> {
  await Promise.all([follow(one, other), follow(other, one)]);
}

/** Sends the bytes of `source` to `sink`, and ends `sink` when `source` is closed. */
function follow(source: Duplex, sink: Duplex): Promise<void> {
  source.on('error', () => {});
  source.pipe(sink);
  return new Promise((resolve) => {
    const leave = (): void => {
      if (!sink.writableEnded) sink.end();
      const timer = setTimeout(() => sink.destroy(), LINGER).unref();
      if (sink.closed) clearTimeout(timer);
      else sink.once('close', () => clearTimeout(timer));
      resolve();
    };
    if (source.closed) leave();
    else source.once('close', leave);
  });
}
