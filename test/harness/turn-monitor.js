/**
 * Loaded into a server before its own modules: says on the standard error when a turn of its event loop has taken long. It counts the processor time
 * of that thread alone, says how much of it the collector of garbage took, and how long as much work took as may be done in one turn, measured at the
 * same moment: a busy machine makes all of them longer.
 */
import { PerformanceObserver } from 'node:perf_hooks';
import { setFlagsFromString } from 'node:v8';
import { isMainThread } from 'node:worker_threads';

/** Milliseconds between two looks; a turn is as long as this and more before it is seen. */
const INTERVAL = 2;
/** Milliseconds from which a turn is looked at. */
const LONG = 10;
/** Milliseconds up to which nothing is measured: a yardstick is never shorter than `LONG`, and `turns.ts` takes twice that for long. */
const NEVER_LONG = 2 * LONG;
/** Milliseconds after which the collector's pauses of a turn are known. */
const KNOWN = 10;

/** What takes ten milliseconds on a machine that does nothing else: reading and writing 600 KB of JSON. */
const YARDSTICK = JSON.stringify(
  Array.from({ length: 11_000 }, (_, index) => ({ name: `item-${index}`, list: [index, true, null], text: '…' })),
);

const used = () => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
};

const usedBySystem = () => process.threadCpuUsage().system / 1000;

const yardstick = () => {
  const before = used();
  JSON.stringify(JSON.parse(YARDSTICK));
  return used() - before;
};

/** Bytes that the system always gives as new pages, and those of them whose first use takes it ten milliseconds on a machine that does nothing else. */
const NEW_MEMORY = 48 * 1024 * 1024;
const USED_MEMORY = 32 * 1024 * 1024;
const PAGE = 4096;

/** What the system does for a turn is mostly memory for values of megabytes: on a machine whose memory others want it takes ten times as long. */
const memoryYardstick = () => {
  const memory = Buffer.allocUnsafeSlow(NEW_MEMORY);
  const before = used();
  for (let at = 0; at < USED_MEMORY; at += PAGE) memory[at] = 1;
  return used() - before;
};

/** Times that each yardstick is taken behind a turn: the longest counts, for what runs on the other half of a core comes and goes within milliseconds. */
const LOOKS = 3;

/** The latest pauses of the collector. @type {import('node:perf_hooks').PerformanceEntry[]} */
const pauses = [];

/**
 * Milliseconds of the clock, within two moments.
 * @param {number} from
 * @param {number} to
 */
const paused = (from, to) =>
  pauses.reduce((sum, { startTime, duration }) => sum + Math.max(0, Math.min(startTime + duration, to) - Math.max(startTime, from)), 0);

function watchPauses() {
  const observer = new PerformanceObserver((list) => {
    pauses.push(...list.getEntries());
    if (pauses.length > 200) pauses.splice(0, 100);
  });
  observer.observe({ type: 'gc' });
}

/**
 * @param {number} taken
 * @param {number} bySystem
 * @param {number} from
 * @param {number} to
 */
function report(taken, bySystem, from, to) {
  const own = Math.max(LONG, ...Array.from({ length: LOOKS }, yardstick));
  const memory = Math.max(LONG, ...Array.from({ length: LOOKS }, memoryYardstick));
  // each part of the turn by its own yardstick
  const systems = Math.min(1, bySystem / taken);
  const measure = 1 / ((1 - systems) / own + systems / memory);
  setTimeout(() => {
    // Where others had the processor for a part of the turn, nobody knows whether that was in the collector's: it is taken to be its own.
    const collected = Math.min(taken, paused(from, to));
    process.stderr.write(
      `a turn took ${taken.toFixed(1)} ms, ${bySystem.toFixed(1)} ms of it the system, ${collected.toFixed(1)} ms of it the collector, and the yardstick ${measure.toFixed(1)} ms\n`,
    );
  }, KNOWN).unref();
}

if (isMainThread) {
  // Of the collector Node tells pauses alone, and not the steps of marking that it takes while others work: without these all of it is told.
  setFlagsFromString('--no-incremental-marking');
  watchPauses();
  yardstick();
  let before = used();
  let beforeBySystem = usedBySystem();
  let from = performance.now();
  setInterval(() => {
    const taken = used() - before - INTERVAL;
    if (taken >= NEVER_LONG) report(taken, usedBySystem() - beforeBySystem, from, performance.now());
    else if (taken > LONG) process.stderr.write(`a turn took ${taken.toFixed(1)} ms\n`);
    before = used();
    beforeBySystem = usedBySystem();
    from = performance.now();
  }, INTERVAL).unref();
}
