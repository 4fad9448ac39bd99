/**
 * The client's side of SPDY/3.1, for connections to agents. It has no flow control by windows: agents neither announce nor heed them (nor does 1.32),
 * so whoever waited for one would wait for ever. The flow control of the connection itself holds back a side that sends too much.
 */
import type { Duplex } from 'node:stream';
import {
  CONTROL,
  type ControlFrame,
  controlFrame,
  type DataPiece,
  dataFrame,
  FIN,
  FrameReader,
  HeaderBlocks,
  SpdyError,
  uint32,
} from './spdy-frames.ts';

/** What an agent says about a stream: it accepts the stream, sends bytes, or ends or resets it. */
export type Said =
  | { readonly stream: number; readonly what: 'accepted' }
  | { readonly stream: number; readonly what: 'data'; readonly bytes: Buffer }
  | { readonly stream: number; readonly what: 'ended' | 'reset' };

/** Milliseconds between pings. They keep machines between the two sides from closing a silent connection. */
const PING_INTERVAL = 5_000;
/** Most answers, such as those to pings, that may wait to be sent. Beyond that the agent reads none, and is cut off. */
const MAX_UNSENT_ANSWERS = 1_000;
const REFUSED_STREAM = 3;
const EMPTY = Buffer.alloc(0);

export class SpdyClient {
  readonly #socket: Duplex;
  readonly #rest: Buffer;
  readonly #headers = new HeaderBlocks();
  #lastStream = -1;
  #lastPing = -1;
  #pingIsAnswered = true;
  #unsentAnswers = 0;

  /** @param rest what came behind the answer to the switch */
  constructor(socket: Duplex, rest: Buffer) {
    this.#socket = socket;
    this.#rest = rest;
    const timer = setInterval(() => this.#ping(), PING_INTERVAL);
    socket.once('close', () => clearInterval(timer));
    if (socket.closed) clearInterval(timer);
  }

  /** Opens a stream. Nothing should be sent on it before the agent has accepted it, because agents drop that. @returns its number */
  open(headers: Readonly<Record<string, string>>): number {
    this.#lastStream += 2;
    const associated = uint32(0);
    const priority = Buffer.alloc(2);
    this.#socket.write(
      controlFrame(CONTROL.synStream, Buffer.concat([uint32(this.#lastStream), associated, priority, this.#headers.write(headers)])),
    );
    return this.#lastStream;
  }

  /** @param bytes fewer than 2^24. @returns false if the caller should wait for `onDrain` before it sends more */
  write(stream: number, bytes: Buffer): boolean {
    return this.#socket.write(dataFrame(stream, bytes));
  }

  /** Tells the agent that nothing more follows on the stream. */
  end(stream: number): void {
    this.#socket.write(dataFrame(stream, EMPTY, FIN));
  }

  onDrain(listener: () => void): void {
    this.#socket.on('drain', listener);
  }

  /** Closes the connection. @param reason is thrown to whoever reads `said` */
  destroy(reason?: Error): void {
    this.#socket.destroy(reason);
  }

  /**
   * All that the agent says, until the connection ends. Nothing is read while the reader waits.
   * @throws SpdyError, or the connection's error
   */
  async *said(): AsyncGenerator<Said> {
    const reader = new FrameReader();
    yield* this.#saidIn(reader, this.#rest);
    for await (const chunk of this.#socket) yield* this.#saidIn(reader, chunk);
  }

  *#saidIn(reader: FrameReader, chunk: Buffer): Generator<Said> {
    for (const frame of reader.read(chunk)) {
      if ('type' in frame) yield* this.#control(frame);
      else yield* dataSaid(frame);
    }
  }

  *#control({ type, flags, body }: ControlFrame): Generator<Said> {
    // All known types begin with the number of a stream or ping. Other types, such as settings, do not matter to the streams.
    if (!KNOWN.has(type)) return;
    if (body.length < 4) throw new SpdyError('malformed SPDY: a control frame is too short');
    const number = body.readUInt32BE(0) & 0x7fffffff;
    if (type === CONTROL.synStream) this.#answer(controlFrame(CONTROL.rstStream, Buffer.concat([uint32(number), uint32(REFUSED_STREAM)])));
    else if (type === CONTROL.ping) this.#pinged(body);
    else if (type === CONTROL.rstStream) yield { stream: number, what: 'reset' };
    else {
      // Nobody needs the headers of the reply, so they are not decompressed.
      yield { stream: number, what: 'accepted' };
      if (flags & FIN) yield { stream: number, what: 'ended' };
    }
  }

  /** Answers the agent's ping, or takes its answer to one from here. Pings of this side have odd numbers. */
  #pinged(body: Buffer): void {
    if (body.readUInt32BE(0) % 2 === 0) this.#answer(controlFrame(CONTROL.ping, body));
    else this.#pingIsAnswered = true;
  }

  #answer(frame: Buffer): void {
    this.#unsentAnswers++;
    if (this.#unsentAnswers > MAX_UNSENT_ANSWERS) throw new SpdyError('the agent reads no answers');
    this.#socket.write(frame, () => {
      this.#unsentAnswers--;
    });
  }

  #ping(): void {
    if (!this.#pingIsAnswered || !this.#socket.writable) return;
    this.#pingIsAnswered = false;
    this.#lastPing = (this.#lastPing + 2) % 2 ** 31;
    this.#socket.write(controlFrame(CONTROL.ping, uint32(this.#lastPing)));
  }
}

const KNOWN: ReadonlySet<number> = new Set(Object.values(CONTROL));

function* dataSaid({ stream, bytes, last }: DataPiece): Generator<Said> {
  if (bytes.length > 0) yield { stream, what: 'data', bytes };
  if (last) yield { stream, what: 'ended' };
}
