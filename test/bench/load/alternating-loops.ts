import { processFamily, threadSeconds } from '../process-figures.ts';
import { type ClosedLoop, type ClosedLoopResult, Loop } from './closed-loop.ts';
import { type Connection, openConnections } from './connection.ts';

/** Short beside the time in which a shared machine becomes faster or slower. */
const SLICE_SECONDS = 0.4;

/** Closed loops, often of two servers, that run in turn, a slice each, so that all meet the machine in the same state. */
export interface AlternatingLoops<Loops extends readonly ClosedLoop[] = readonly [ClosedLoop, ClosedLoop]> {
  readonly kind: 'alternatingLoops';
  /** each for its seconds, or until it has sent its count; connections stay open between slices */
  readonly loops: Loops;
}

/** One for each loop. */
export type AlternatingResults<Loops extends readonly ClosedLoop[]> = { -readonly [index in keyof Loops]: AlternatingResult };

/** What the server does behind a slice, while the other one has its turn, counts to the slice. */
export interface AlternatingResult extends ClosedLoopResult {
  /** processor time of the server for a request, in microseconds, where its process is known */
  readonly processorUs?: number;
  /** the same of each slice */
  readonly slices: readonly number[];
}

export async function runAlternatingLoops({ loops }: AlternatingLoops<readonly ClosedLoop[]>): Promise<AlternatingResult[]> {
  const sides: Side[] = [];
  for (const loop of loops) sides.push(await Side.open(loop));
  while (sides.some((side) => !side.isDone)) for (const side of sides) await side.runSlice();
  return sides.map((side) => side.finish());
}

/** Up to some moment. */
interface Figures {
  readonly processorSeconds: number;
  readonly sent: number;
}

class Side {
  readonly #load: ClosedLoop;
  readonly #connections: readonly Connection[];
  readonly #family: readonly number[] | undefined;
  readonly #loop: Loop;
  /** at the beginning of each slice, and at the end of the last one */
  readonly #figures: Figures[] = [];
  #slices = 0;

  private constructor(load: ClosedLoop, connections: readonly Connection[]) {
    this.#load = load;
    this.#connections = connections;
    this.#family = load.target.pid === undefined ? undefined : processFamily(load.target.pid);
    this.#loop = new Loop(load);
  }

  static async open(load: ClosedLoop): Promise<Side> {
    return new Side(load, await openConnections(load.target, load.connections));
  }

  get isDone(): boolean {
    const { count, seconds } = this.#load;
    return count === undefined ? this.#slices * SLICE_SECONDS >= seconds : this.#loop.sent >= count;
  }

  async runSlice(): Promise<void> {
    if (this.isDone) return;
    this.#slices++;
    this.#look();
    await this.#loop.run(this.#connections, SLICE_SECONDS);
  }

  #look(): void {
    const processorSeconds = this.#family && threadSeconds(this.#family);
    if (processorSeconds !== undefined) this.#figures.push({ processorSeconds, sent: this.#loop.sent });
  }

  finish(): AlternatingResult {
    this.#look();
    for (const connection of this.#connections) connection.close();
    const [first, last] = [this.#figures[0], this.#figures.at(-1)];
    return {
      ...this.#loop.result(),
      ...(first !== undefined && last !== undefined && { processorUs: microseconds(first, last) }),
      slices: this.#figures.slice(1).map((after, i) => microseconds(this.#figures[i] as Figures, after)),
    };
  }
}

function microseconds(before: Figures, after: Figures): number {
  return ((after.processorSeconds - before.processorSeconds) * 1e6) / (after.sent - before.sent);
}
