/**
 * Loaded into a server before its own modules: says on the standard error when a turn of its event loop has taken long. It counts the processor time
 * of that thread alone, so a busy machine makes no turn longer.
 */
import { isMainThread } from 'node:worker_threads';

/** Milliseconds between two looks; a turn is as long as this and more before it is seen. */
const INTERVAL = 2;
/** Milliseconds from which a turn is told of. */
const LONG = 10;

const used = () => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
};

if (isMainThread) {
  let before = used();
  setInterval(() => {
    const now = used();
    if (now - before - INTERVAL > LONG) process.stderr.write(`a turn took ${Math.round(now - before)} ms\n`);
    before = used();
  }, INTERVAL).unref();
}
