import { percentile } from '../statistics.ts';
import { requestText, type Target } from '../target.ts';
import { openConnections } from './connection.ts';

/** Watches of one collection, each on a connection of its own. */
export interface Watchers {
  readonly kind: 'watchers';
  readonly target: Target;
  /** with its query, such as /api/v1/namespaces/a/configmaps?watch=true */
  readonly path: string;
  readonly watchers: number;
}

export interface WatchersResult {
  readonly events: number;
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

/** The mark before the time at which an object was sent, in microseconds of the machine's monotonic clock. */
export const SENT_AT = 'sent-at-';
const MARK = Buffer.from(SENT_AT);
const DIGITS = 16;
/** connections that are opened at a time */
const BATCH = 50;

export const nowMicroseconds = (): number => Number(process.hrtime.bigint() / 1_000n);

/** An open set of watches; `stop` gives what arrived. */
export async function openWatchers(load: Watchers): Promise<{ stop(): WatchersResult }> {
  const delays: number[] = [];
  let first = 0;
  let last = 0;
  const onEvent = (sentAt: number): void => {
    // of an object that was there before
    if (sentAt === 0) return;
    last = nowMicroseconds();
    if (first === 0) first = last;
    delays.push((last - sentAt) / 1_000);
  };
  const stops: (() => void)[] = [];
  for (let opened = 0; opened < load.watchers; opened += BATCH)
    stops.push(await openBatch(load, Math.min(BATCH, load.watchers - opened), onEvent));
  return {
    stop() {
      for (const stop of stops) stop();
      const sorted = Float64Array.from(delays).sort();
      const perSecond = sorted.length / ((last - first) / 1e6);
      return { events: sorted.length, perSecond, p50Ms: percentile(sorted, 0.5), p99Ms: percentile(sorted, 0.99) };
    },
  };
}

async function openBatch(load: Watchers, count: number, onEvent: (sentAt: number) => void): Promise<() => void> {
  const connections = await openConnections(load.target, count);
  const request = requestText(load.target, 'GET', load.path);
  await Promise.all(
    connections.map(
      (connection) =>
        new Promise<void>((resolve, reject) => {
          const marks = new MarkReader(onEvent);
          connection.send(request, {
            onHead: (status) => (status === 200 ? resolve() : reject(new Error(`a watch was answered with ${status}`))),
            onBody: (bytes) => marks.read(bytes),
            onEnd: () => {},
          });
        }),
    ),
  );
  return () => {
    for (const connection of connections) connection.close();
  };
}

/** Finds the marks in the parts of a stream, also where one is cut in two. */
export class MarkReader {
  readonly #onMark: (microseconds: number) => void;
  #rest = Buffer.alloc(0);

  constructor(onMark: (microseconds: number) => void) {
    this.#onMark = onMark;
  }

  read(arrived: Buffer): void {
    const bytes = this.#rest.length === 0 ? arrived : Buffer.concat([this.#rest, arrived]);
    const length = MARK.length + DIGITS;
    let from = 0;
    for (let at = bytes.indexOf(MARK); at !== -1 && at + length <= bytes.length; at = bytes.indexOf(MARK, from)) {
      this.#onMark(Number(bytes.toString('latin1', at + MARK.length, at + length)));
      from = at + length;
    }
    // a mark may begin in what is left
    const kept = Math.min(bytes.length - from, length - 1);
    this.#rest = Buffer.from(bytes.subarray(bytes.length - kept));
  }
}

/** The mark for now. */
export function sentAtMark(): string {
  return SENT_AT + String(nowMicroseconds()).padStart(DIGITS, '0');
}
