/**
 * Many texts outside of the heap of V8, side by side in slabs of memory. In the heap they would make its young generation grow to its largest, and leave
 * holes where they go: 100,000 of them would take half as much again. What is known of each is numbers in arrays, for the same reason.
 */

/** Bytes of a slab: a share of what is held, so that a few texts take little and many take few slabs. */
const SMALLEST = 8 * 1024;
const LARGEST = 1024 * 1024;
const SHARE = 16;
/** Part of a slab beyond which a text has one of its own. */
const LONG = 0.25;
/** Part of a slab that is held, below which its texts move to another one. */
const USED = 0.75;

interface Slab {
  readonly index: number;
  readonly bytes: Buffer;
  /** bytes from its beginning on that were written */
  end: number;
  /** bytes of them that are held */
  held: number;
  /** numbers of the texts that are in it, and of some that were */
  texts: number[];
}

/** What is known of a text: the index of its slab, where it begins there, and its length in bytes. */
const PLACE = 3;
const FIRST_PLACES = 64;
/** Index of no slab. */
const NOWHERE = 0xffff_ffff;

export class TextSlabs {
  /** by index; undefined for indexes that are free */
  readonly #slabs: (Slab | undefined)[] = [];
  readonly #freeIndexes: number[] = [];
  /** by number of the text */
  #places = new Uint32Array(PLACE * FIRST_PLACES);
  readonly #freeNumbers: number[] = [];
  /** numbers that there were */
  #count = 0;
  #held = 0;
  /** the one that is being filled */
  #current: Slab = this.#begin(SMALLEST);

  /** Bytes of the texts that are held. */
  get held(): number {
    return this.#held;
  }

  /** Bytes of memory that the texts are in. */
  get size(): number {
    return this.#slabs.reduce((sum, slab) => sum + (slab?.bytes.length ?? 0), 0);
  }

  /** @param bytes copied. @returns the text's number */
  hold(bytes: Buffer): number {
    const text = this.#freeNumbers.pop() ?? this.#newNumber();
    this.#held += bytes.length;
    this.#put(text, bytes, this.#slabFor(bytes.length));
    return text;
  }

  /** The text's bytes, which stay what they are, whatever becomes of the text; nobody changes them. */
  bytes(text: number): Buffer {
    const { bytes } = this.#slabOf(text);
    const start = this.#place(text, 1);
    return bytes.subarray(start, start + this.#place(text, 2));
  }

  /** @param text that is held; from now on another one may have its number */
  release(text: number): void {
    const slab = this.#slabOf(text);
    const length = this.#place(text, 2);
    slab.held -= length;
    this.#held -= length;
    // it is nowhere: a text that gets the number may have its place in the same slab
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

  /** One that has room for a text. */
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

  /** Moves texts out of a slab that has few of them left; its memory goes when nobody reads what was in it. */
  #vacateSparse(slab: Slab): void {
    if (slab.held >= slab.bytes.length * USED) return;
    // a number may stand there twice: of a text that has gone, and of the one that has it now
    const texts = new Set(slab.texts.filter((text) => this.#place(text, 0) === slab.index));
    for (const text of texts) {
      const bytes = this.bytes(text);
      this.#put(text, bytes, this.#slabFor(bytes.length));
    }
    this.#slabs[slab.index] = undefined;
    this.#freeIndexes.push(slab.index);
  }
}
