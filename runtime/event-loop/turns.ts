/**
 * Turns of long work: however much of it is under way, pieces of it run for a few milliseconds in each round of the event loop, so that what
 * comes in between waits for that and not for a piece of each. Where other threads want the processors as well, long work leaves them some of its time: a
 * thread that always wants to run is made to wait by the system, for as long as all others run once, and with it whatever came in between.
 */
import { ProcessorWait } from './processor-wait.ts';

const waiting = new Set<() => void>();
/** The requests that have waited to begin. Most are short, so one of them has its turn behind each piece of other work, however many pieces wait. */
const beginning = new Set<() => void>();
let hasBegun = false;

/** No further piece begins in a round when this many milliseconds of it are over. */
const ROUND = 4;
/** For this many milliseconds behind a round no long work runs where other threads want the processors. */
const GAP = 3;
const processors = new ProcessorWait();
/** The time at which the round began, as `performance.now()` tells it. */
let began = 0;
let underWay = false;

/** Resolves when it is the caller's turn, in the order of the calls. Work until the next call should take a few milliseconds at most. */
export function turn(): Promise<void> {
  return turnOf(waiting);
}

/** Resolves when a request that begins may run its first piece. */
export function firstTurn(): Promise<void> {
  return turnOf(beginning);
}

/** Milliseconds of a round of the event loop in which beginnings take place at once, and how many do. */
const AT_ONCE_FOR = 4;
const AT_ONCE = 32;

/**
 * Beginnings of one sort, of which the event loop may tell hundreds in one round: the first of a round take place at once, even where each does more only
 * later, and the others have turns, so that nobody else waits for all of them.
 */
export class Beginnings {
  /** when the first one of this round took place, by `performance.now()`; undefined: none did */
  #first: number | undefined;
  #count = 0;
  readonly #endRound = (): void => {
    this.#first = undefined;
  };

  /** @returns a promise where it is to wait for its turn */
  next(): Promise<void> | undefined {
    const now = performance.now();
    if (this.#first === undefined) {
      this.#first = now;
      this.#count = 0;
      setImmediate(this.#endRound);
    }
    return now - this.#first < AT_ONCE_FOR && this.#count++ < AT_ONCE ? undefined : firstTurn();
  }
}

function turnOf(all: Set<() => void>): Promise<void> {
  return new Promise((resolve) => {
    all.add(resolve);
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
  hasBegun = beginning.size > 0 && (waiting.size === 0 || !hasBegun);
  const next = hasBegun ? beginning : waiting;
  const resolve = next.values().next().value as () => void;
  next.delete(resolve);
  resolve();
  // The next piece begins when all that this one does before it waits for something has run.
  queueMicrotask(() => process.nextTick(goOn));
}

function goOn(): void {
  if (waiting.size + beginning.size === 0) {
    underWay = false;
    return;
  }
  const now = performance.now();
  if (now - began < ROUND) giveTurn();
  // a timer comes before the immediates of its round, of which this piece is to be the only one
  else if (processors.isContended(now)) setTimeout(() => setImmediate(beginRound), GAP);
  else setImmediate(beginRound);
}

/** Milliseconds of a piece that `eachInTurns` works on. */
const PIECE = 4;

/**
 * Calls `act` for each item in its order, for a few milliseconds at a time.
 * @returns a promise where they do not all fit into the first piece. @throws what `act` throws, or the promise rejects with it
 */
export function eachInTurns<T>(items: readonly T[], act: (item: T, index: number) => void): Promise<void> | undefined {
  const next = actOn(items, 0, act);
  return next === items.length ? undefined : restInTurns(items, next, act);
}

/** Milliseconds of the first piece of `inTurns`: much work may begin in one round, each time before it has a turn. */
const BEGINNING = 0.5;

/** Goes through what yields between its pieces, for a few milliseconds at a time. @returns its result. @throws what it throws */
export async function inTurns<T>(work: Generator<void, T, void>): Promise<T> {
  for (let piece = BEGINNING; ; piece = PIECE) {
    const until = performance.now() + piece;
    do {
      const { done, value } = work.next();
      if (done === true) return value;
    } while (performance.now() < until);
    await turn();
  }
}

async function restInTurns<T>(items: readonly T[], from: number, act: (item: T, index: number) => void): Promise<void> {
  for (let next = from; next < items.length; ) {
    await turn();
    next = actOn(items, next, act);
  }
}

/** @returns the place of the first item that is left */
function actOn<T>(items: readonly T[], from: number, act: (item: T, index: number) => void): number {
  const until = performance.now() + PIECE;
  let next = from;
  do {
    if (next === items.length) break;
    act(items[next] as T, next);
    next++;
  } while (performance.now() < until);
  return next;
}
