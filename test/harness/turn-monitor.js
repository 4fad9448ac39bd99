/**
 * Loaded into a server before its own modules: says on the standard error when a turn of its event loop has taken long. It counts the processor time
 * of that thread alone, and says how long as much work took as may be done in one turn, measured at the same moment: a busy machine makes both longer.
 */
import { isMainThread } from 'node:worker_threads';

/** Milliseconds between two looks; a turn is as long as this and more before it is seen. */
const INTERVAL = 2;
/** Milliseconds from which a turn is looked at. */
const LONG = 10;

/** What takes ten milliseconds on a machine that does nothing else: reading and writing 600 KB of JSON. */
const YARDSTICK = JSON.stringify(
  Array.from({ length: 11_000 }, (_, index) => ({ name: `item-${index}`, list: [index, true, null], text: '…' })),
);

const used = () => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
};

const yardstick = () => {
  const before = used();
  JSON.stringify(JSON.parse(YARDSTICK));
  return used() - before;
};

if (isMainThread) {
  yardstick();
  let before = used();
  setInterval(() => {
    const taken = used() - before - INTERVAL;
    if (taken > LONG)
      process.stderr.write(`a turn took ${taken.toFixed(1)} ms, and the yardstick ${Math.max(LONG, yardstick()).toFixed(1)} ms\n`);
    before = used();
  }, INTERVAL).unref();
}
