/** A connection that carries so many bytes a second at most in either direction, whatever it carries. */
import { Duplex } from 'node:stream';

/** Milliseconds for which nobody waits: what went ahead counts for what follows. */
const SHORTEST_WAIT = 5;
/** How many pieces the bytes of a second are divided into, so that they come one after the other. */
const PIECES = 10;

export class ThrottledConnection extends Duplex {
  readonly #socket: Duplex;
  readonly #reading: Pace;
  readonly #writing: Pace;
  /** somebody would take more */
  #isWanted = false;
  /** what was read last still counts */
  #isWaiting = false;

  /** @param socket which is this one's from now on. @param bytesPerSecond at least 1 */
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

/** When more may go in one direction. */
class Pace {
  /** bytes that may go at once */
  readonly piece: number;
  readonly #bytesPerSecond: number;
  /** of `performance.now()`, when all that went is paid for */
  #free = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(bytesPerSecond: number) {
    this.#bytesPerSecond = bytesPerSecond;
    this.piece = Math.max(1, Math.floor(bytesPerSecond / PIECES));
  }

  /** @param go called once, unless it ends before; at once where that is soon */
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
