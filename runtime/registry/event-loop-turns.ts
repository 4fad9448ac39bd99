/**
 * Turns of long work: however much of it is under way, pieces of it run for a few milliseconds in each round of the event loop, so that what
 * comes in between waits for that and not for a piece of each.
 */
const waiting = new Set<() => void>();

/** Milliseconds after which no further piece begins in a round. */
const ROUND = 4;
/** When the round began, by `performance.now()`. */
let began = 0;
let underWay = false;

/** Resolves when it is the caller's turn, in the order of the calls. Work until the next call should take a few milliseconds at most. */
export function turn(): Promise<void> {
  return new Promise((resolve) => {
    waiting.add(resolve);
    if (underWay) return;
    underWay = true;
    setImmediate(beginRound);
  });
}

function beginRound(): void {
  began = performance.now();
  giveTurn();
}

function giveTurn(): void {
  const resolve = waiting.values().next().value as () => void;
  waiting.delete(resolve);
  resolve();
  // behind all that the piece does until it waits for something
  queueMicrotask(() => process.nextTick(goOn));
}

function goOn(): void {
  if (waiting.size === 0) underWay = false;
  else if (performance.now() - began < ROUND) giveTurn();
  else setImmediate(beginRound);
}
