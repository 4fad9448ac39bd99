/** Reads the answer of one watch request event by event. */

import { JsonSyntaxError } from '../../schema/json/json-walk.ts';
import { ApiError, errorOfStatus } from '../objects/api-error.ts';
import { parseJson } from '../objects/json.ts';
import { readChunks } from '../transport/read-body.ts';
import { IdleLimit } from './idle-limit.ts';
import type { Requester } from './requester.ts';

export interface WatchLine {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK';
  /** the object as UTF-8 JSON; the reader owns the memory */
  readonly json: Buffer;
}

/** The server has ended a watch by an ERROR event. */
export class WatchEnded extends ApiError {
  /** @param status object of the event */
  constructor(status: unknown) {
    const { code, body } = errorOfStatus(status);
    super(code, body);
  }
}

/** Whether the server has sent something that is not an event. A watch from the same version would get it again. */
export const isNoEvent = (error: unknown): boolean =>
  error instanceof SyntaxError || error instanceof JsonSyntaxError || error instanceof TypeError;

const NEWLINE = 0x0a;
/** The most bytes of one event: far more than an object may have. */
const MAX_EVENT = 64 * 1024 * 1024;

export interface WatchRequest {
  readonly path: string;
  /** media types of the objects; absent: JSON */
  readonly accept?: string;
  readonly signal?: AbortSignal | undefined;
  /** returns milliseconds of silence after which the connection counts as broken; is called again whenever data has arrived */
  readonly idleTimeout: () => number;
}

/**
 * Gives the events of each chunk together. Ends when the server ends the watch.
 * @throws ApiError if the server refuses the watch; WatchEnded if it ends it with an error; SyntaxError, JsonSyntaxError for a line that is not an event;
 *   ConnectionError, WatchStalled; the reason of the signal
 */
export async function* watchLines(client: Pick<Requester, 'send'>, request: WatchRequest): AsyncGenerator<WatchLine[], void> {
  const { path, accept } = request;
  const what = `GET ${path.split('?', 1)[0]}`;
  const limit = new IdleLimit(what, request.idleTimeout, request.signal);
  const { signal } = limit;
  try {
    const answer = await client.send({ method: 'GET', path, signal, isStream: true, ...(accept !== undefined && { accept }) });
    const splitter = new LineSplitter();
    for await (const chunk of readChunks(answer, what, signal)) {
      const lines = splitter.push(chunk).map(parseLine);
      const failure = lines.findIndex(({ type }) => type === 'ERROR');
      // the limit rests while the reader works, because then a silence is not the server's
      limit.end();
      if (lines.length > 0 && failure !== 0) yield (failure < 0 ? lines : lines.slice(0, failure)) as WatchLine[];
      if (failure >= 0) throw new WatchEnded(parseJson((lines[failure] as Line).json.toString()));
      limit.begin();
    }
  } finally {
    limit.end();
  }
}

/** Puts lines together from the chunks in which they arrive. */
class LineSplitter {
  #begun: Buffer[] = [];
  #size = 0;

  push(chunk: Buffer): Buffer[] {
    const lines: Buffer[] = [];
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
      const line = chunk.subarray(start, end);
      lines.push(this.#begun.length === 0 ? line : Buffer.concat([...this.#begun, line]));
      this.#begun = [];
      this.#size = 0;
      start = end + 1;
    }
    if (start < chunk.length) this.#keep(chunk.subarray(start));
    return lines.filter((line) => line.length > 0);
  }

  #keep(rest: Buffer): void {
    this.#size += rest.length;
    if (this.#size > MAX_EVENT) throw new SyntaxError(`an event of the watch is larger than ${MAX_EVENT} bytes`);
    this.#begun.push(rest);
  }
}

/** The way in which servers write events: the type first, the object last. */
const HEAD = /^\{"type":"([A-Z]+)","object":(?=\{)/;
const HEAD_LENGTH = 40;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

interface Line {
  readonly type: string;
  readonly json: Buffer;
}

const TYPES: ReadonlySet<unknown> = new Set(['ADDED', 'MODIFIED', 'DELETED', 'BOOKMARK', 'ERROR']);

function parseLine(line: Buffer): Line {
  const [head, type] = HEAD.exec(line.toString('latin1', 0, HEAD_LENGTH)) ?? [];
  // the last byte is the closing brace of the event
  const parsed = head === undefined ? parseAnyLine(line) : { type, json: line.subarray(head.length, line.lastIndexOf(CLOSE_BRACE)) };
  if (!TYPES.has(parsed.type)) throw new SyntaxError(`the watch has an event of the unknown type ${JSON.stringify(parsed.type)}`);
  if (parsed.json[0] !== OPEN_BRACE) throw new SyntaxError('the watch has an event without an object');
  return parsed as Line;
}

function parseAnyLine(line: Buffer): { readonly type: unknown; readonly json: Buffer } {
  const { type, object } = parseJson<{ readonly type?: unknown; readonly object?: unknown } | null>(line.toString()) ?? {};
  return { type, json: Buffer.from(JSON.stringify(object ?? null)) };
}
