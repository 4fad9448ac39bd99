/** A connection with a limit of bytes per second in each direction. */
import { Duplex } from 'node:stream';

/** Milliseconds. Shorter waits are left out, but still add to the next one. */
const SHORTEST_WAIT = 5;
/** Number of pieces that the bytes of one second are sent in, so that they are spread over it. */
const PIECES = 10;

export class ThrottledConnection extends Duplex {
  readonly #socket: Duplex;
  readonly #reading: Pace;
  readonly #writing: Pace;
  /** the reader has asked for more */
  #isWanted = false;
  /** the time of the last piece has not passed yet */
  #isWaiting = false;

  /** @param socket nobody else may use it from now on. @param bytesPerSecond at least 1 */
  constructor(socket: Duplex, bytesPerSecond: number) {
    super({ allowHalfOpen: socket.allowHalfOpen });
    this.#socket = socket;
    this.#reading = new Pace(bytesPerSecond);
    this.#writing = new Pace(bytesPerSecond);
    socket.on('readable', () => this.#pull());
    socket.on('end', () => this.push(null));
    socket.on('error', (error) => this.destroy(error));
    socket.on('close', () => {
      if (!socket.readableEnded) this.destroy();
    });
  }

  override _read(): void {
    this.#isWanted = true;
    this.#pull();
  }

  #pull(): void {
    if (!this.#isWanted || this.#isWaiting) return;
    const available = this.#socket.readableLength;
    const piece: Buffer | null = this.#socket.read(available > this.#reading.piece ? this.#reading.piece : undefined);
    if (piece === null) return;
    this.#isWanted = false;
    this.#isWaiting = true;
    this.push(piece);
    this.#reading.after(piece.length, () => {
      this.#isWaiting = false;
      this.#pull();
    });
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, written: (error?: Error | null) => void): void {
    let offset = 0;
    const next = (): void => {
      if (offset >= chunk.length) return written();
      const piece = chunk.subarray(offset, offset + this.#writing.piece);
      offset += piece.length;
      this.#socket.write(piece, (error) => (error ? written(error) : this.#writing.after(piece.length, next)));
    };
    next();
  }

  override _final(ended: (error?: Error | null) => void): void {
    this.#socket.end(() => ended());
  }

  override _destroy(error: Error | null, destroyed: (error: Error | null) => void): void {
    this.#reading.end();
    this.#writing.end();
    this.#socket.destroy();
    destroyed(error);
  }
}

/** Says when more bytes may go in one direction. */
class Pace {
  /** most bytes of one piece */
  readonly piece: number;
  readonly #bytesPerSecond: number;
  /** time by `performance.now()` at which the bytes that went so far are within the limit */
  #free = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(bytesPerSecond: number) {
    this.#bytesPerSecond = bytesPerSecond;
    this.piece = Math.max(1, Math.floor(bytesPerSecond / PIECES));
  }

  /** Counts bytes that went. @param go called once when more may go, maybe at once; never if `end` is called before */
  after(bytes: number, go: () => void): void {
    const now = performance.now();
    this.#free = Math.max(this.#free, now) + (bytes / this.#bytesPerSecond) * 1_000;
    const wait = this.#free - now;
    if (wait < SHORTEST_WAIT) return go();
    this.#timer = setTimeout(go, wait);
  }

  end(): void {
    clearTimeout(this.#timer);
  }
}
