/**
 * The bytes of the buffers in which long answers are put together. There are a few large ones instead of many small ones, and they are used again once they are
 * sent.
 */
const CHUNK_BYTES = 256 * 1024;
/** The number of buffers that are kept for the next lists. */
const MAX_SPARE = 16;
/** The space before the bytes of a part for its frame in the chunked coding (chunked-coding.ts). */
const LEAD = 10;
/** The space behind the bytes of a part, likewise. */
const TRAIL = 2;
/** The most bytes of a part, unless more are added at once. */
export const CAPACITY = CHUNK_BYTES - LEAD - TRAIL;

const spare: Buffer[] = [];

/** Bytes of an answer, in order. */
export class Part {
  readonly #memory: Buffer;
  readonly #end: number;

  /** @param end offset in `memory` behind the part's last byte; the first one is at LEAD */
  constructor(memory: Buffer, end: number) {
    this.#memory = memory;
    this.#end = end;
  }

  /** Makes a part from a copy of bytes. */
  static of(bytes: Buffer): Part {
    const part = Part.lasting(bytes.length);
    bytes.copy(part.bytes);
    return part;
  }

  /** One that may be sent any number of times, for as long as somebody has it. Its `bytes` are for the caller to fill before that. */
  static lasting(length: number): Part {
    return new Part(Buffer.allocUnsafeSlow(LEAD + length + TRAIL), LEAD + length);
  }

  /** Makes a part for up to `length` bytes that are written later. It has that many, or as many as it has space for. */
  static empty(length: number): Part {
    return new SinglePart(spare.pop() ?? Buffer.allocUnsafeSlow(CHUNK_BYTES), LEAD + Math.min(length, CAPACITY));
  }

  /** Makes a part of the first `length` bytes of an `empty` one, which must not be used any more. */
  begin(length: number): Part {
    return new SinglePart(this.#memory, LEAD + length);
  }

  get length(): number {
    return this.#end - LEAD;
  }

  get bytes(): Buffer {
    return this.#memory.subarray(LEAD, this.#end);
  }

  /** The same as one chunk of the chunked coding, written where it is. */
  get chunk(): Buffer {
    const size = `${this.length.toString(16)}\r\n`;
    const start = LEAD - size.length;
    this.#memory.write(size, start, 'latin1');
    this.#memory.write('\r\n', this.#end, 'latin1');
    return this.#memory.subarray(start, this.#end + TRAIL);
  }

  /** Call once the connection has taken the bytes; never, where it broke. */
  sent(): void {}

  /** Leaves the memory to other parts. */
  protected free(): void {
    if (this.#memory.length === CHUNK_BYTES && spare.length < MAX_SPARE) spare.push(this.#memory);
  }
}

/** A part that is sent once. */
class SinglePart extends Part {
  override sent(): void {
    this.free();
  }
}

/** A part that several answers send; its memory is free when the last of those who hold it has let go of it. */
export class HeldPart extends Part {
  #holders = 0;

  hold(): void {
    this.#holders++;
  }

  /** Lets go of it. */
  override sent(): void {
    if (--this.#holders === 0) this.free();
  }
}

/** @returns bytes of all parts */
export const lengthOf = (parts: readonly Part[]): number => parts.reduce((sum, { length }) => sum + length, 0);

export class Chunks {
  /** bytes added so far */
  length = 0;
  readonly #partOf: new (
    memory: Buffer,
    end: number,
  ) => Part;
  #full: Part[] = [];
  #memory: Buffer | undefined;
  /** offset of the next byte in `#memory` */
  #at = LEAD;

  /** @param held whether the parts are for several answers */
  constructor(held = false) {
    this.#partOf = held ? HeldPart : SinglePart;
  }

  /** Adds `bytes`, or those of them from `start` to before `end`. */
  bytes(bytes: Buffer, start = 0, end = bytes.length): void {
    const memory = this.#room(end - start);
    this.#at += bytes.copy(memory, this.#at, start, end);
  }

  /** @param text of ASCII characters */
  ascii(text: string): void {
    const memory = this.#room(text.length);
    this.#at += memory.write(text, this.#at, 'latin1');
  }

  byte(value: number): void {
    this.#room(1)[this.#at++] = value;
  }

  /** @returns memory with room for `needed` bytes */
  #room(needed: number): Buffer {
    this.length += needed;
    if (this.#memory !== undefined && this.#at + needed + TRAIL <= this.#memory.length) return this.#memory;
    this.#turnOver();
    this.#memory = needed > CAPACITY ? Buffer.allocUnsafeSlow(LEAD + needed + TRAIL) : (spare.pop() ?? Buffer.allocUnsafeSlow(CHUNK_BYTES));
    return this.#memory;
  }

  /** Adds a part as it is, without a copy. */
  part(part: Part): void {
    this.length += part.length;
    this.#turnOver();
    this.#full.push(part);
  }

  #turnOver(): void {
    if (this.#memory !== undefined) this.#full.push(new this.#partOf(this.#memory, this.#at));
    this.#memory = undefined;
    this.#at = LEAD;
  }

  /** Forgets all that was added. */
  clear(): void {
    this.length = 0;
    this.#full = [];
    this.#memory = undefined;
    this.#at = LEAD;
  }

  /** What was added since the last call and fills its memory. */
  full(): Part[] {
    if (this.#full.length === 0) return this.#full;
    const full = this.#full;
    this.#full = [];
    return full;
  }

  /** All that was added since the last call of this or of `full`. */
  rest(): Part[] {
    this.#turnOver();
    return this.full();
  }
}
