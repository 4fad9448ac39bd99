/** Reads untrusted protobuf: every length is checked against the bytes that are left. */

import { integerOf, type RawNumber } from '../scalar/raw-number.ts';
import { utf8Text } from '../text/utf8-text.ts';
import { ProtobufError } from './error.ts';
import { DELIMITED, END_GROUP, FIXED32, FIXED64, START_GROUP, VARINT } from './layout.ts';

/** Tags below this can be handled with bit operations. All known messages have much lower ones. */
const LARGE_TAG = 2 ** 30;

export class Reader {
  readonly #bytes: Buffer;
  #position: number;
  #end: number;

  constructor(bytes: Uint8Array) {
    this.#bytes = Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#position = 0;
    this.#end = bytes.length;
  }

  /** Whether the current message has more fields. */
  get more(): boolean {
    return this.#position < this.#end;
  }

  /** Reads a length and limits the reader to that many bytes. @returns the argument of `leave` */
  enter(): number {
    const length = this.#length();
    const outer = this.#end;
    this.#end = this.#position + length;
    return outer;
  }

  /** Moves behind the message that `enter` has begun. */
  leave(outer: number): void {
    this.#position = this.#end;
    this.#end = outer;
  }

  /** Reads a field number and wire type as `number * 8 + type`. Numbers are cut to 32 bits, as in Go. @param message name for errors */
  tag(message: string): number {
    const wire = this.#varint();
    if (typeof wire === 'number' && wire < LARGE_TAG && wire >= 8 && (wire & 7) !== END_GROUP) return wire;
    const [number, type] = partsOf(BigInt(wire));
    if (type === END_GROUP) throw new ProtobufError(`proto: ${message}: wiretype end group for non-group`);
    if (number <= 0) throw new ProtobufError(`proto: ${message}: illegal tag ${number} (wire type ${wire})`);
    return number * 8 + type;
  }

  /** Reads a tag in the entry of a map, where Go does not check the number. */
  entryTag(): number {
    const wire = this.#varint();
    if (typeof wire === 'number' && wire < LARGE_TAG) return wire;
    const [number, type] = partsOf(BigInt(wire));
    return number * 8 + type;
  }

  bool(): boolean {
    return this.#varint() !== 0;
  }

  /** The low 32 bits of an integer. */
  int32(): number {
    const value = this.#varint();
    if (typeof value === 'bigint') return Number(BigInt.asIntN(32, value));
    return value <= 0x7fff_ffff ? value : Number(BigInt.asIntN(32, BigInt(value)));
  }

  int64(): number | RawNumber {
    const value = this.#varint();
    return typeof value === 'bigint' ? integerOf(BigInt.asIntN(64, value)) : value;
  }

  /** An unsigned integer. */
  uint64(): bigint {
    return BigInt(this.#varint());
  }

  /** @throws ProtobufError beyond 2^53-1 */
  safeInt64(): number {
    const value = this.#varint();
    const number = typeof value === 'bigint' ? Number(BigInt.asIntN(64, value)) : value;
    if (!Number.isSafeInteger(number)) throw new ProtobufError(`proto: integer ${value} is beyond 2^53-1`);
    return number;
  }

  /** An unsigned integer. */
  fixed64(): bigint {
    const position = this.#advance(8);
    return this.#bytes.readBigUInt64LE(position);
  }

  /** An unsigned integer. */
  fixed32(): number {
    const position = this.#advance(4);
    return this.#bytes.readUInt32LE(position);
  }

  double(): number {
    const position = this.#advance(8);
    return this.#bytes.readDoubleLE(position);
  }

  text(): string {
    const length = this.#length();
    const position = this.#advance(length);
    return length === 0 ? '' : utf8Text(this.#bytes, position, position + length);
  }

  base64(): string {
    const length = this.#length();
    const position = this.#advance(length);
    return this.#bytes.toString('base64', position, position + length);
  }

  /** The bytes, which share the memory of the message. */
  bytes(): Buffer {
    const length = this.#length();
    const position = this.#advance(length);
    return this.#bytes.subarray(position, position + length);
  }

  /** Skips an unknown field. Nested groups are skipped without recursion. */
  skip(wireType: number): void {
    let depth = 0;
    for (let type = wireType; ; type = typeOf(this.#varint())) {
      if (type === VARINT) this.#varint();
      else if (type === FIXED64) this.#advance(8);
      else if (type === DELIMITED) this.#advance(this.#length());
      else if (type === FIXED32) this.#advance(4);
      else if (type === START_GROUP) depth++;
      else if (type !== END_GROUP) throw new ProtobufError(`proto: illegal wireType ${type}`);
      else if (depth-- === 0) throw new ProtobufError('proto: unexpected end of group');
      if (depth === 0) return;
    }
  }

  #length(): number {
    const length = this.#varint();
    if (typeof length === 'number' && length <= this.#end - this.#position) return length;
    const wide = BigInt(length);
    // in Go a length and the position behind it are signed integers of 64 bits
    const isNegative = BigInt.asIntN(64, wide) < 0n || BigInt.asIntN(64, wide + BigInt(this.#position)) < 0n;
    throw new ProtobufError(isNegative ? 'proto: negative length found during unmarshaling' : 'unexpected EOF');
  }

  #advance(size: number): number {
    const position = this.#position;
    if (size > this.#end - position) throw new ProtobufError('unexpected EOF');
    this.#position = position + size;
    return position;
  }

  /** Reads at most 64 bits. @returns a bigint from 2^49 on */
  #varint(): number | bigint {
    let value = 0;
    for (let shift = 0, scale = 1; shift < 49; shift += 7, scale *= 0x80) {
      const byte = this.#byte();
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) return value;
    }
    let large = BigInt(value);
    for (let shift = 49n; shift < 70n; shift += 7n) {
      const byte = this.#byte();
      large |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return BigInt.asUintN(64, large);
    }
    throw new ProtobufError('proto: integer overflow');
  }

  #byte(): number {
    if (this.#position >= this.#end) throw new ProtobufError('unexpected EOF');
    return this.#bytes[this.#position++] as number;
  }
}

function partsOf(wire: bigint): [number: number, type: number] {
  return [Number(BigInt.asIntN(32, wire >> 3n)), typeOf(wire)];
}

function typeOf(wire: number | bigint): number {
  return typeof wire === 'number' ? wire % 8 : Number(wire & 7n);
}
