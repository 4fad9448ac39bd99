import { mostWithin, percentile } from '../statistics.ts';
import type { Target } from '../target.ts';
import { type Connection, openConnections } from './connection.ts';
import { NumberedRequest } from './numbered-request.ts';

const SECOND = 1_000;

/** Each connection sends its next request when it has the answer to the last one. */
export interface ClosedLoop {
  readonly kind: 'closedLoop';
  readonly target: Target;
  readonly connections: number;
  /** with the marks of `NumberedRequest` */
  readonly request: string;
  /** number and turn of the first request; those that follow count on */
  readonly first: number;
  /** numbers start again after this many; absent: never */
  readonly cycle?: number;
  /** requests in all; absent: as many as there is time for */
  readonly count?: number;
  readonly seconds: number;
}

export interface ClosedLoopResult {
  readonly perSecond: number;
  /** answers within the best second; absent: it took less than one */
  readonly bestSecond?: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** requests, each of which was answered */
  readonly sent: number;
  readonly failures: number;
  readonly firstFailure?: string;
}

export async function runClosedLoop(load: ClosedLoop): Promise<ClosedLoopResult> {
  const connections = await openConnections(load.target, load.connections);
  const loop = new Loop(load);
  await loop.run(connections, load.seconds);
  for (const connection of connections) connection.close();
  return loop.result();
}

/** A closed loop that may be interrupted: its times leave out when it does not run. */
export class Loop {
  readonly #load: ClosedLoop;
  #until = 0;
  /** what is taken from the time of the clock for that of the loop, milliseconds */
  #paused = 0;
  #ended = 0;
  readonly #latencies: number[] = [];
  /** times of the answers, ascending */
  readonly #answered: number[] = [];
  #sent = 0;
  #failures = 0;
  #firstFailure: string | undefined;

  constructor(load: ClosedLoop) {
    this.#load = load;
  }

  /** requests so far, each of which was answered */
  get sent(): number {
    return this.#sent;
  }

  /** Goes on for so long. @throws Error when the server closes a connection */
  async run(connections: readonly Connection[], seconds: number): Promise<void> {
    const begun = performance.now();
    this.#paused = begun - this.#ended;
    this.#until = begun + seconds * SECOND;
    await Promise.all(connections.map((connection) => this.#runOn(connection)));
    this.#ended = performance.now() - this.#paused;
  }

  #runOn(connection: Connection): Promise<void> {
    const request = new NumberedRequest(this.#load.request);
    return new Promise((resolve, reject) => {
      connection.onClose(() => reject(new Error('the server closed a connection under load')));
      let sentAt = 0;
      let failure: Buffer[] | undefined;
      const next = () => {
        if (!this.#take(request)) return resolve();
        sentAt = performance.now();
        connection.send(request.bytes, handlers);
      };
      const handlers = {
        onHead: (status: number) => {
          failure = status >= 300 ? [] : undefined;
        },
        onBody: (bytes: Buffer) => failure?.push(Buffer.from(bytes)),
        onEnd: (status: number) => {
          if (failure !== undefined) this.#fail(status, failure);
          this.#measure(sentAt);
          next();
        },
      };
      next();
    });
  }

  /** @returns false when there is no more to send */
  #take(request: NumberedRequest): boolean {
    const { count = Number.POSITIVE_INFINITY, cycle = Number.POSITIVE_INFINITY, first } = this.#load;
    if (this.#sent >= count || performance.now() >= this.#until) return false;
    const turn = first + this.#sent++;
    request.number = turn % cycle;
    request.turn = turn;
    return true;
  }

  #measure(sentAt: number): void {
    const now = performance.now();
    this.#answered.push(now - this.#paused);
    this.#latencies.push(now - sentAt);
  }

  #fail(status: number, body: readonly Buffer[]): void {
    this.#failures++;
    this.#firstFailure ??= `${status} ${Buffer.concat(body).toString('utf8').slice(0, 300)}`;
  }

  result(): ClosedLoopResult {
    const sorted = Float64Array.from(this.#latencies).sort();
    const milliseconds = this.#answered.at(-1) ?? 0;
    return {
      perSecond: (sorted.length / milliseconds) * SECOND,
      ...(milliseconds >= SECOND && { bestSecond: mostWithin(this.#answered, SECOND) }),
      p50Ms: percentile(sorted, 0.5),
      p99Ms: percentile(sorted, 0.99),
      sent: this.#sent,
      failures: this.#failures,
      ...(this.#firstFailure !== undefined && { firstFailure: this.#firstFailure }),
    };
  }
}
