/**
 * The one way by which anything leaves for a client: the answer of one request. It knows the status, how much of the body has gone and how it ended,
 * of streams and of connections that switch protocols as well.
 */
import type { ServerResponse } from 'node:http';
import type { ServerHttp2Stream } from 'node:http2';
import { Readable, type Writable } from 'node:stream';
import type { Context } from 'koa';
import type { BodyPieces } from './body-pieces.ts';
import { beginChunks, endChunks } from './chunked-coding.ts';
import { whenClientGone } from './client-gone.ts';
import { drained } from './drain.ts';
import { writePieces } from './pieces-writer.ts';
import type { RecordedBody } from './recorded-body.ts';
import { type TakenConnection, takeConnection } from './upgrade.ts';
import { setLines, withoutHeader } from './usual-headers.ts';
import { endAtOnce, endWhole, LINE_FEED, leavesAtOnce } from './whole-answer.ts';

/** A stream of HTTP/2 that is destroyed without an error says that all was well; with one it says INTERNAL_ERROR (RFC 9113 section 7), as in 1.32. */
const BROKEN = new Error('the answer breaks off');
const SWITCHING_PROTOCOLS = 101;
/** Statuses whose answers have no length (RFC 9110 section 8.6). */
const WITHOUT_LENGTH: ReadonlySet<number> = new Set([204, 304]);

/** The number of bytes from which on a body is sent in slices, because TLS takes a millisecond for one or two megabytes, in one turn of the event loop. */
const LONG = 512 * 1024;
/** The bytes of such a slice. */
const SLICE = 64 * 1024;

/** How an answer ended: the client was sent all of it, or the connection broke off before. What followed a switch has no end that could be told apart. */
export type AnswerEnd = 'whole' | 'broken' | 'switched';

/** The headers are those of Node's response, to which all may add until the answer begins, and the usual ones. It is begun once. */
export class ClientAnswer {
  readonly #response: ServerResponse;
  #status = 0;
  #length = 0;
  #held = 0;
  #isWhole = false;
  #begunAt = 0;
  #contentType = '';
  /** lines of headers that Node's response does not have */
  #usual = '';
  #settled: (() => void) | undefined;
  #begun: ((status: number) => void) | undefined;
  #recorded: RecordedBody | undefined;

  constructor(response: ServerResponse) {
    this.#response = response;
  }

  /** 0 until the answer begins; 101 once the connection has switched protocols */
  get status(): number {
    return this.#status;
  }

  /** bytes of the body that the connection was given, compressed where the answer is; what follows a switch does not count */
  get length(): number {
    return this.#length;
  }

  /** bytes that are in memory until the client has taken them, of an answer that was there as a whole */
  get held(): number {
    return this.#held;
  }

  /** The content type of an answer that has begun; empty if it has none. */
  get contentType(): string {
    return this.#contentType !== '' ? this.#contentType : String(this.#response.getHeader('content-type') ?? '');
  }

  /** When the answer began, by `performance.now()`; 0 before that. */
  get begunAt(): number {
    return this.#begunAt;
  }

  get hasBegun(): boolean {
    return this.#status !== 0;
  }

  /** Whether all of it is with the connection, or on its way there. */
  get hasEnded(): boolean {
    return this.#isWhole || this.#response.writableEnded;
  }

  /**
   * Adds headers that nearly every answer has, once. One stands unless Node's response has it otherwise when the answer begins.
   * @param lines as `headerLine` makes them
   */
  addUsual(lines: string): void {
    this.#usual += lines;
  }

  removeUsual(name: string): void {
    this.#usual = withoutHeader(this.#usual, name);
  }

  /**
   * Sets the usual headers on Node's response, for answers whose head Node writes. It must be called before that, and before further values of one of these
   * headers are added.
   */
  setUsual(): void {
    setLines(this.#response, this.#usual);
    this.#usual = '';
  }

  /** Calls `listener` once, when nothing more leaves; at once where that is so already. */
  whenOver(listener: (end: AnswerEnd) => void): void {
    whenClientGone(this.#response, () => {
      if (this.#status === SWITCHING_PROTOCOLS) listener('switched');
      else listener(this.#response.writableFinished ? 'whole' : 'broken');
    });
  }

  /** Calls `listener` when the answer begins, before anything of it leaves. To be called before that, once. */
  whenBegun(listener: (status: number) => void): void {
    this.#begun = listener;
  }

  /** Calls `listener` once, when status and length will not change any more: as soon as the connection was given all, or when nothing more leaves. */
  whenSettled(listener: () => void): void {
    this.#settled = listener;
  }

  #settle(): void {
    const settled = this.#settled;
    this.#settled = undefined;
    settled?.();
  }

  #settleWhenOver(): void {
    if (this.#settled !== undefined) whenClientGone(this.#response, () => this.#settle());
  }

  /** Has the body copied as it leaves, compressed where the answer is. To be called before the answer begins. */
  record(body: RecordedBody): void {
    this.#recorded = body;
  }

  /** Answers with a body that is there. @param size of the body, in bytes */
  send(status: number, contentType: string, body: Buffer | string, size = Buffer.byteLength(body)): void {
    if (size > LONG) return this.#sendSlices(status, contentType, typeof body === 'string' ? Buffer.from(body) : body);
    this.#begin(status, size);
    this.#contentType = contentType;
    this.#isWhole = true;
    const gone = endWhole(this.#response, contentType, body, size, this.#usual);
    if (gone === undefined) this.#recorded?.addAll(body);
    else this.#recorded?.keepAll(gone.subarray(gone.length - size));
    this.#settle();
  }

  #sendSlices(status: number, contentType: string, body: Buffer): void {
    const response = this.#response;
    response.setHeader('content-type', contentType);
    response.setHeader('content-length', body.length);
    this.#held = body.length;
    this.#recorded?.keepAll(body);
    this.#recorded = undefined;
    this.pipe(status, Readable.from(slicesOf(body), { objectMode: false }));
  }

  /** Answers with the bytes, which are copied at once, and a line feed behind them. */
  sendLine(status: number, contentType: string, bytes: Buffer): void {
    const size = bytes.length + 1;
    if (size > LONG) return this.#sendSlices(status, contentType, line(bytes));
    this.#begin(status, size);
    this.#contentType = contentType;
    this.#isWhole = true;
    if (leavesAtOnce(this.#response, size)) {
      const gone = endAtOnce(this.#response, contentType, bytes, size, this.#usual);
      this.#recorded?.keepAll(gone.subarray(gone.length - size));
    } else {
      this.#recorded?.addAll(bytes);
      endWhole(this.#response, contentType, line(bytes), size, this.#usual);
    }
    this.#settle();
  }

  /** Answers without a body. */
  sendEmpty(status: number): void {
    this.#begin(status, 0);
    this.setUsual();
    if (!WITHOUT_LENGTH.has(status)) this.#response.setHeader('content-length', 0);
    this.#response.end();
    this.#settle();
  }

  /** Begins an answer whose body comes piece by piece. */
  stream(status: number): AnswerBody {
    const response = this.#response;
    response.statusCode = status;
    this.setUsual();
    const chunked = beginChunks(response);
    this.#begin(status, 0);
    this.#settleWhenOver();
    return new AnswerBody(response, chunked, (bytes) => {
      this.#length += bytes.length;
      this.#recorded?.add(bytes);
    });
  }

  /**
   * Answers with what comes from `source`, at the pace of the client. Where that breaks off the client's connection does too: nothing else says that
   * the body is not whole. @throws Error for headers that cannot be sent
   */
  pipe(status: number, source: Readable): void {
    const response = this.#response;
    response.statusCode = status;
    this.setUsual();
    sendHead(response);
    this.#begin(status, 0);
    this.#settleWhenOver();
    source.on('data', (bytes: Buffer) => {
      this.#length += bytes.length;
      this.#recorded?.add(bytes);
    });
    source.on('error', () => this.break());
    source.on('close', () => {
      if (!source.readableEnded) this.break();
    });
    whenClientGone(response, () => source.destroy());
    response.on('error', () => source.destroy());
    source.pipe(response);
  }

  /** Answers with a body whose length the headers say, at the pace of the client. */
  sendPieces(status: number, pieces: BodyPieces): void {
    const response = this.#response;
    // a lost connection: without a listener it would end the process
    response.on('error', () => {});
    this.setUsual();
    this.#begin(status, 0);
    this.#settleWhenOver();
    writePieces(response, pieces, (bytes) => {
      this.#length += bytes.length;
      this.#recorded?.add(bytes);
    });
  }

  /** Ends HTTP on a connection for which `upgradeProtocol` is not '': whoever has it answers the switch. The end is that of the connection. */
  switchProtocols(): TakenConnection {
    const taken = takeConnection(this.#response);
    this.#begin(SWITCHING_PROTOCOLS, 0);
    this.#settleWhenOver();
    return taken;
  }

  /** Breaks the connection off, or what HTTP/2 has instead: the client learns that it has not got all. */
  break(): void {
    const isStream = (this.#response as { stream?: ServerHttp2Stream }).stream !== undefined;
    this.#response.destroy(isStream ? BROKEN : undefined);
  }

  #begin(status: number, length: number): void {
    this.#response.statusCode = status;
    this.#status = status;
    this.#begunAt = performance.now();
    this.#length = length;
    if (length > 0) this.#held = length;
    this.#begun?.(status);
  }
}

/** Headers of another server may have any bytes, which stand in texts as Latin-1: what Node flushes on HTTP/1.1 would be UTF-8. */
function sendHead(response: ServerResponse): void {
  if ((response as { stream?: ServerHttp2Stream }).stream === undefined) response.write('', 'latin1');
  else response.flushHeaders();
}

function* slicesOf(bytes: Buffer): Iterable<Buffer> {
  for (let start = 0; start < bytes.length; start += SLICE) yield bytes.subarray(start, start + SLICE);
}

function line(bytes: Buffer): Buffer {
  const whole = Buffer.allocUnsafe(bytes.length + 1);
  bytes.copy(whole);
  whole[bytes.length] = LINE_FEED;
  return whole;
}

/** Bytes of a body that are also there with the framing of the chunked coding of HTTP/1.1 (RFC 9112 section 7.1). */
export interface Piece {
  readonly bytes: Buffer;
  readonly chunk: Buffer;
}

/** The body of an answer that has begun. */
export class AnswerBody {
  readonly #response: ServerResponse;
  readonly #chunked: boolean;
  readonly #given: (bytes: Buffer) => void;
  /** past the response where it gets chunks already, for its layers take a tenth of the time of a write */
  readonly #connection: Writable;

  /** @param given is told of the bytes that the connection gets */
  constructor(response: ServerResponse, chunked: boolean, given: (bytes: Buffer) => void) {
    this.#response = response;
    this.#chunked = chunked;
    this.#given = given;
    this.#connection = (chunked ? response.socket : null) ?? response;
    // a lost connection: without a listener it would end the process
    response.on('error', () => {});
  }

  /** bytes that the connection has not taken yet */
  get buffered(): number {
    return this.#connection.writableLength;
  }

  /** @param taken is called once the connection has taken them. @returns false where more had better wait */
  write(piece: Piece, taken?: () => void): boolean {
    const response = this.#response;
    // the connection may carry the next answer by then
    if (response.writableEnded) return true;
    const bytes = this.#chunked ? piece.chunk : piece.bytes;
    this.#given(piece.bytes);
    return taken === undefined ? this.#connection.write(bytes) : this.#connection.write(bytes, (error) => error ?? taken());
  }

  /** Resolves when the connection takes bytes again, or the client is gone. */
  drained(): Promise<void> {
    return drained(this.#connection, this.#response);
  }

  /** Calls `listener` each time when all that was buffered is gone. */
  onDrain(listener: () => void): void {
    const connection = this.#connection;
    connection.on('drain', listener);
    this.#response.once('close', () => connection.off('drain', listener));
  }

  /** Calls `listener` once when the client is gone or the end is out; `write` does nothing from then on. */
  onClose(listener: () => void): void {
    whenClientGone(this.#response, listener);
  }

  end(): void {
    endChunks(this.#response, this.#chunked);
  }
}

/** The answer of the request that a context is of. */
export const answerOf = ({ state }: Pick<Context, 'state'>): ClientAnswer => (state as { answer: ClientAnswer }).answer;
