/** Lines of a log, which consist of texts and of bytes that are UTF-8 already. */

/** The parts of a line in their order. The last one ends with a line feed. */
export type LogLine = string | readonly (string | Buffer)[];

/** The most bytes in UTF-8 for a unit of a string's length. Characters of four bytes have a length of two. */
const MOST_OF_CHARACTER = 3;

/** Counts the bytes of a line in UTF-8. */
export function lineBytes(line: LogLine): number {
  if (typeof line === 'string') return Buffer.byteLength(line);
  let sum = 0;
  for (const piece of line) sum += Buffer.byteLength(piece);
  return sum;
}

/** Returns a number of bytes that a line does not exceed, at a fraction of the cost of `lineBytes`. */
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

/** The most bytes of lines that are written together. */
const SIZE = 512 * 1024;

/** Collects lines in UTF-8 in memory that is used again after each `take`. */
export class LineBuffer {
  #bytes: Buffer | undefined;
  #used = 0;
  /** text that follows the used bytes, and that is not encoded yet */
  #text = '';

  /** Adds a line. @returns false if there may be too little space for it, in which case it is not added */
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

  /** Returns all lines as bytes, and begins anew. The bytes are valid only until a line is added. */
  take(): Buffer {
    this.#encode();
    const taken = this.#memory.subarray(0, this.#used);
    this.#used = 0;
    return taken;
  }
}
