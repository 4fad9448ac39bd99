/** Lines of a log, of text and of bytes that are text already. */

/** What stands in it, in this order; it ends with a line feed. */
export type LogLine = string | readonly (string | Buffer)[];

/** Bytes that a character takes at most, of V8's: one of four bytes is two of these. */
const MOST_OF_CHARACTER = 3;

export function lineBytes(line: LogLine): number {
  if (typeof line === 'string') return Buffer.byteLength(line);
  let sum = 0;
  for (const piece of line) sum += Buffer.byteLength(piece);
  return sum;
}

/** No less than `lineBytes`, for a fraction of its cost. */
export function mostLineBytes(line: LogLine): number {
  if (typeof line === 'string') return line.length * MOST_OF_CHARACTER;
  let sum = 0;
  for (const piece of line) sum += typeof piece === 'string' ? piece.length * MOST_OF_CHARACTER : piece.length;
  return sum;
}

export const encodeLine = (line: LogLine): Buffer =>
  typeof line === 'string'
    ? Buffer.from(line)
    : Buffer.concat(line.map((piece) => (typeof piece === 'string' ? Buffer.from(piece) : piece)));

/** Bytes of lines that are written together. */
const SIZE = 512 * 1024;

/** Lines in UTF-8, one behind the other in memory that is used again. */
export class LineBuffer {
  #bytes: Buffer | undefined;
  #used = 0;
  /** what follows, not encoded yet */
  #text = '';

  /** @returns false where the line is too long for what is free: it is not taken */
  add(line: LogLine): boolean {
    const most = mostLineBytes(line);
    if (this.#mostUsed + most > SIZE) {
      this.#encode();
      if (this.#used + most > SIZE) return false;
    }
    if (typeof line === 'string') this.#text += line;
    else for (const piece of line) this.#put(piece);
    return true;
  }

  get #mostUsed(): number {
    return this.#used + this.#text.length * MOST_OF_CHARACTER;
  }

  #put(piece: string | Buffer): void {
    if (typeof piece === 'string') {
      this.#text += piece;
      return;
    }
    this.#encode();
    this.#used += piece.copy(this.#memory, this.#used);
  }

  get #memory(): Buffer {
    this.#bytes ??= Buffer.allocUnsafeSlow(SIZE);
    return this.#bytes;
  }

  #encode(): void {
    if (this.#text !== '') this.#used += this.#memory.write(this.#text, this.#used);
    this.#text = '';
  }

  /** Gives all that it has, and begins anew: the bytes stay as they are until something is added. */
  take(): Buffer {
    this.#encode();
    const taken = this.#memory.subarray(0, this.#used);
    this.#used = 0;
    return taken;
  }
}
