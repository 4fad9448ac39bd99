export const EVENT_TYPES = ['ADDED', 'MODIFIED', 'DELETED', 'BOOKMARK', 'ERROR'] as const;
export type EventType = (typeof EVENT_TYPES)[number];

/** Orders of the same frames that are remembered with the first of them. */
const MAX_RUNS = 8;

const LINE_END = Buffer.from('\r\n');

interface Run {
  readonly frames: readonly Frame[];
  readonly joined: Frame;
}

/** The bytes of an event, or of several behind each other, as all watchers of one form get them. */
export class Frame {
  /** the same as one chunk of the chunked coding of HTTP/1.1 (RFC 9112 section 7.1) */
  readonly chunk: Buffer;
  readonly bytes: Buffer;
  #runs: Run[] | undefined;

  constructor(...parts: readonly Buffer[]) {
    const length = parts.reduce((sum, part) => sum + part.length, 0);
    const size = Buffer.from(`${length.toString(16)}\r\n`, 'latin1');
    this.chunk = Buffer.concat([size, ...parts, LINE_END], size.length + length + LINE_END.length);
    this.bytes = this.chunk.subarray(size.length, size.length + length);
  }

  get length(): number {
    return this.bytes.length;
  }

  /** Several as one, made once for all watchers that get the same ones. @param frames at least one */
  static joined(frames: readonly Frame[]): Frame {
    const [first] = frames as readonly [Frame];
    if (frames.length === 1) return first;
    first.#runs ??= [];
    const known = first.#runs.find((run) => sameFrames(run.frames, frames));
    if (known !== undefined) return known.joined;
    const joined = new Frame(...frames.map(({ bytes }) => bytes));
    if (first.#runs.length < MAX_RUNS) first.#runs.push({ frames, joined });
    return joined;
  }
}

const sameFrames = (a: readonly Frame[], b: readonly Frame[]): boolean => a.length === b.length && a.every((frame, i) => frame === b[i]);
