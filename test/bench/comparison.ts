/** Two servers that run one workload at the same time: their closed loops wait for each other, and run in turn. */
import type { AlternatingLoops, AlternatingResult } from './load/alternating-loops.ts';
import type { ClosedLoop } from './load/closed-loop.ts';
import { percentile } from './statistics.ts';

type Results = readonly [AlternatingResult, AlternatingResult];

/** What one server's closed loops take of what those of another one take. */
export interface Ratio {
  /** the middle of all pairs of slices, and what a quarter of them is below and above */
  readonly middle: number;
  readonly low: number;
  readonly high: number;
}

/** @returns undefined where the time of either is not known */
export function ratioOf([one, other]: readonly [Pick<AlternatingResult, 'slices'>, Pick<AlternatingResult, 'slices'>]): Ratio | undefined {
  const pairs = Math.min(one.slices.length, other.slices.length);
  if (pairs === 0) return undefined;
  const sorted = Array.from({ length: pairs }, (_, i) => (one.slices[i] as number) / (other.slices[i] as number)).sort((a, b) => a - b);
  return { middle: percentile(sorted, 0.5), low: percentile(sorted, 0.25), high: percentile(sorted, 0.75) };
}

interface Waiting {
  readonly loop: ClosedLoop;
  readonly results: (results: Promise<Results>) => void;
}

export class Comparison {
  readonly #run: (load: AlternatingLoops) => Promise<Results>;
  #waiting: Waiting | undefined;

  /** @param run makes the load, once both loops are there */
  constructor(run: (load: AlternatingLoops) => Promise<Results>) {
    this.#run = run;
  }

  /** Waits for the loop of the other server. @returns the results of both; of the first server first */
  run(isFirst: boolean, loop: ClosedLoop): Promise<Results> {
    const waiting = this.#waiting;
    if (waiting === undefined) return new Promise((results) => (this.#waiting = { loop, results }));
    this.#waiting = undefined;
    const results = this.#run({ kind: 'alternatingLoops', loops: isFirst ? [loop, waiting.loop] : [waiting.loop, loop] });
    waiting.results(results);
    return results;
  }
}
