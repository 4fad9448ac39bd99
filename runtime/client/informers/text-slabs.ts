/**
 * Holds many texts outside V8's heap, side by side in slabs of memory. In the heap they would make the young generation grow to its maximum and leave holes when
 * they are deleted: 100,000 of them would take half as much memory again. For the same reason the place of each text is kept as numbers in an array.
 */

/** Bytes of a slab. It is a share of all that is held, so that few texts take little memory, and many texts take few slabs. */
const SMALLEST = 8 * 1024;
const LARGEST = 1024 * 1024;
const SHARE = 16;
/** A text that is longer than this part of a slab gets a slab of its own. */
const LONG = 0.25;
/** When less than this part of a slab is in use, its texts move to another one. */
const USED = 0.75;

interface Slab {
  readonly index: number;
  readonly bytes: Buffer;
  /** offset behind the last byte that was written */
  end: number;
  /** bytes of texts that still exist */
  held: number;
  /** numbers of its texts, and of some that were deleted */
  texts: number[];
}

/** How many numbers `#places` has for a text: the index of its slab, its offset there, and its length in bytes. */
const PLACE = 3;
const FIRST_PLACES = 64;
/** Stands for no slab. */
const NOWHERE = 0xffff_ffff;

export class TextSlabs {
  /** by index; undefined for indexes that are free */
  readonly #slabs: (Slab | undefined)[] = [];
  readonly #freeIndexes: number[] = [];
  /** `PLACE` numbers for each text, by the number of the text */
  #places = new Uint32Array(PLACE * FIRST_PLACES);
  readonly #freeNumbers: number[] = [];
  /** how many numbers of texts were ever used */
  #count = 0;
  #held = 0;
  /** the slab that is being filled */
  #current: Slab = this.#begin(SMALLEST);

  /** Bytes of all texts. */
  get held(): number {
    return this.#held;
  }

  /** Bytes of all slabs. */
  get size(): number {
    return this.#slabs.reduce((sum, slab) => sum + (slab?.bytes.length ?? 0), 0);
  }

  /** @param bytes are copied. @returns the text's number */
  hold(bytes: Buffer): number {
    const text = this.#freeNumbers.pop() ?? this.#newNumber();
    this.#held += bytes.length;
    this.#put(text, bytes, this.#slabFor(bytes.length));
    return text;
  }

  /** The text's bytes. They stay the same even if the text is deleted, and nobody may change them. */
  bytes(text: number): Buffer {
    const { bytes } = this.#slabOf(text);
    const start = this.#place(text, 1);
    return bytes.subarray(start, start + this.#place(text, 2));
  }

  /** @param text number of a text that exists; a later text may get the same number */
  release(text: number): void {
    const slab = this.#slabOf(text);
    const length = this.#place(text, 2);
    slab.held -= length;
    this.#held -= length;
    // the place is cleared, because a later text with this number may be in the same slab
    this.#places[text * PLACE] = NOWHERE;
    this.#freeNumbers.push(text);
    if (slab !== this.#current) this.#vacateSparse(slab);
  }

  #place(text: number, member: number): number {
    return this.#places[text * PLACE + member] as number;
  }

  #slabOf(text: number): Slab {
    return this.#slabs[this.#place(text, 0)] as Slab;
  }

  #newNumber(): number {
    if (this.#count * PLACE === this.#places.length) {
      const places = new Uint32Array(this.#places.length * 2);
      places.set(this.#places);
      this.#places = places;
    }
    return this.#count++;
  }

  #begin(size: number): Slab {
    const index = this.#freeIndexes.pop() ?? this.#slabs.length;
    const slab = { index, bytes: Buffer.allocUnsafeSlow(size), end: 0, held: 0, texts: [] };
    this.#slabs[index] = slab;
    return slab;
  }

  /** @returns a slab with room for a text */
  #slabFor(length: number): Slab {
    const current = this.#current;
    if (current.end + length <= current.bytes.length) return current;
    const size = Math.min(LARGEST, Math.max(SMALLEST, Math.floor(this.#held / SHARE)));
    if (length > size * LONG) return this.#begin(length);
    this.#current = this.#begin(size);
    this.#vacateSparse(current);
    return this.#slabFor(length);
  }

  #put(text: number, bytes: Buffer, slab: Slab): void {
    this.#places.set([slab.index, slab.end, bytes.length], text * PLACE);
    bytes.copy(slab.bytes, slab.end);
    slab.end += bytes.length;
    slab.held += bytes.length;
    slab.texts.push(text);
  }

  /** Moves the texts out of a slab that has few of them left. Its memory is freed when nobody reads its former texts any more. */
  #vacateSparse(slab: Slab): void {
    if (slab.held >= slab.bytes.length * USED) return;
    // a number may be listed twice: for a text that was deleted, and for the one that has the number now
    const texts = new Set(slab.texts.filter((text) => this.#place(text, 0) === slab.index));
    for (const text of texts) {
      const bytes = this.bytes(text);
      this.#put(text, bytes, this.#slabFor(bytes.length));
    }
    this.#slabs[slab.index] = undefined;
    this.#freeIndexes.push(slab.index);
  }
}
