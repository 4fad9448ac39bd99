/**
 * Checks that bytes are exactly one CBOR data item, as 1.32 does before it decodes anything. Nothing is allocated for declared lengths, and
 * depth is limited.
 */
import { CborError } from './error.ts';
import {
  ARRAY,
  BREAK,
  BYTES,
  DOUBLE,
  HALF,
  INDEFINITE,
  informationOf,
  MAP,
  majorOf,
  NEGATIVE,
  nameOf,
  numberAt,
  ONE_BYTE,
  POSITIVE,
  PRIMITIVE,
  SINGLE,
  TAG,
  TEXT,
} from './head.ts';
import { TAGS } from './tags.ts';

export interface CborLimits {
  /** nesting of arrays, maps and tags */
  readonly levels: number;
  /** elements of one array */
  readonly elements: number;
  /** pairs of one map */
  readonly pairs: number;
}

/** The limits of 1.32 for requests. */
export const OF_CLIENTS: CborLimits = { levels: 64, elements: 1024, pairs: 1024 };
/** For bytes that were accepted before; their length is the only limit. */
export const UNLIMITED: CborLimits = {
  levels: Number.POSITIVE_INFINITY,
  elements: Number.POSITIVE_INFINITY,
  pairs: Number.POSITIVE_INFINITY,
};

/** A simple value below this must be encoded in the head itself. */
const FIRST_LONG_SIMPLE = 32;

/** @throws CborError */
export function requireWellFormed(bytes: Buffer, limits: CborLimits): void {
  if (bytes.length === 0) throw new CborError('EOF');
  const scanner = new Scanner(bytes, limits);
  scanner.item(0);
  const left = bytes.length - scanner.at;
  if (left > 0) throw new CborError(`cbor: ${left} bytes of extraneous data starting at index ${scanner.at}`);
}

class Scanner {
  at = 0;
  readonly #bytes: Buffer;
  readonly #limits: CborLimits;

  constructor(bytes: Buffer, limits: CborLimits) {
    this.#bytes = bytes;
    this.#limits = limits;
  }

  item(depth: number): void {
    const first = this.#peek();
    const major = majorOf(first);
    const count = this.#head();
    switch (major) {
      case BYTES:
      case TEXT:
        if (count === undefined) this.#chunks(major);
        else this.#skip(major, count);
        break;
      case ARRAY:
      case MAP:
        this.#container(major, count, depth + 1);
        break;
      case TAG:
        this.#tagged(count as number | bigint, depth);
        break;
      case PRIMITIVE:
        this.#requireFinite(informationOf(first));
    }
  }

  #peek(): number {
    const byte = this.#bytes[this.at];
    if (byte === undefined) throw endsEarly();
    return byte;
  }

  /** @returns the number in the head; undefined for an indefinite length */
  #head(): number | bigint | undefined {
    const first = this.#peek();
    const major = majorOf(first);
    const information = informationOf(first);
    this.at++;
    if (information < ONE_BYTE) return information;
    if (information <= DOUBLE) {
      const size = 1 << (information - ONE_BYTE);
      if (this.#bytes.length - this.at < size) throw endsEarly();
      const value = numberAt(this.#bytes, this.at, size);
      this.at += size;
      if (major === PRIMITIVE && information === ONE_BYTE && value < FIRST_LONG_SIMPLE)
        throw new CborError(`cbor: invalid simple value ${value} for type ${nameOf(major)}`);
      return value;
    }
    if (first === BREAK) throw unexpectedBreak();
    const hasLength = major !== POSITIVE && major !== NEGATIVE && major !== TAG && major !== PRIMITIVE;
    if (information === INDEFINITE && hasLength) return undefined;
    throw new CborError(`cbor: invalid additional information ${information} for type ${nameOf(major)}`);
  }

  #skip(major: number, length: number | bigint): void {
    if (length >= FIRST_OVERFLOW) throw new CborError(`cbor: ${nameOf(major)} length ${length} is too large, causing integer overflow`);
    if (this.#bytes.length - this.at < length) throw endsEarly();
    this.at += Number(length);
  }

  /** Checks the chunks of a string of indefinite length: each has the same type and a definite length. */
  #chunks(major: number): void {
    for (let next = this.#peek(); next !== BREAK; next = this.#peek()) {
      if (majorOf(next) !== major)
        throw new CborError(`cbor: wrong element type ${nameOf(majorOf(next))} for indefinite-length ${nameOf(major)}`);
      if (informationOf(next) === INDEFINITE) throw new CborError(`cbor: indefinite-length ${nameOf(major)} chunk is not definite-length`);
      this.#skip(major, this.#head() as number | bigint);
    }
    this.at++;
  }

  #container(major: number, count: number | bigint | undefined, depth: number): void {
    this.#requireShallow(depth);
    if (count !== undefined && count >= FIRST_OVERFLOW)
      throw new CborError(`cbor: ${nameOf(major)} length ${count} is too large, it would cause integer overflow`);
    this.#requireFew(major, count ?? 0);
    for (let i = 0; count === undefined ? this.#peek() !== BREAK : i < count; i++) {
      this.item(depth);
      if (major === MAP) this.item(depth);
      if (count === undefined) this.#requireFew(major, i + 1);
    }
    if (count === undefined) this.at++;
  }

  #requireFew(major: number, count: number | bigint): void {
    const { elements, pairs } = this.#limits;
    if (major === ARRAY && count > elements) throw new CborError(`cbor: exceeded max number of elements ${elements} for CBOR array`);
    if (major === MAP && count > pairs) throw new CborError(`cbor: exceeded max number of key-value pairs ${pairs} for CBOR map`);
  }

  /** Nested tags count as levels. @param first number of the tag whose head was read */
  #tagged(first: number | bigint, depth: number): void {
    let level = depth;
    for (let number = first; ; this.#requireShallow(++level)) {
      const next = this.#peek();
      if (number === TAGS.bignum || number === TAGS.negativeBignum) throw unacceptable(TAG, 'bignum');
      if (majorOf(next) !== TAG) break;
      number = this.#head() as number | bigint;
    }
    this.item(level);
  }

  #requireShallow(depth: number): void {
    const { levels } = this.#limits;
    if (depth > levels) throw new CborError(`cbor: exceeded max nested level ${levels}`);
  }

  #requireFinite(information: number): void {
    if (information < HALF) return;
    const value = floatEndingAt(this.#bytes, this.at, information);
    if (!Number.isFinite(value)) throw unacceptable(PRIMITIVE, `floating-point ${Number.isNaN(value) ? 'NaN' : 'infinity'}`);
  }
}

/** The first number that Go's int64 does not hold. */
const FIRST_OVERFLOW = 1n << 63n;

const endsEarly = (): CborError => new CborError('unexpected EOF');
const unexpectedBreak = (): CborError => new CborError('cbor: unexpected "break" code');

export function unacceptable(major: number, problem: string): CborError {
  return new CborError(`cbor: data item of cbor type ${nameOf(major)} is not accepted by protocol: ${problem}`);
}

/** The floating-point number of the given width that ends before `end`. */
export function floatEndingAt(bytes: Buffer, end: number, information: number): number {
  if (information === DOUBLE) return bytes.readDoubleBE(end - 8);
  return information === SINGLE ? bytes.readFloatBE(end - 4) : halfOf(bytes.readUInt16BE(end - 2));
}

/** Decodes IEEE 754 binary16. */
function halfOf(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 0x1f;
  const fraction = bits & 0x3ff;
  if (exponent === 0) return sign * fraction * 2 ** -24;
  if (exponent === 0x1f) return fraction === 0 ? sign * Number.POSITIVE_INFINITY : Number.NaN;
  return sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
}
