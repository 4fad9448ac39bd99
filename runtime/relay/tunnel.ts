/** Two connections joined: each byte of the one goes to the other, as fast as that takes it. */
import type { Duplex } from 'node:stream';

/** Milliseconds that a connection has to take what is left for it once the other is gone. */
const LINGER = 30_000;

/** Resolves when both are closed. Each ends after the other has, with all that came before. */
export async function join(one: Duplex, other: Duplex): Promise<void> {
  await Promise.all([follow(one, other), follow(other, one)]);
}

/** Sends what comes from `source` to `sink`, and ends `sink` when there is no more. */
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
