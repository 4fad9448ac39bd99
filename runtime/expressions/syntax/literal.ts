/** A value of type uint: an unsigned integer of 64 bits, which differs from an int. */
export class Uint {
  readonly value: bigint;
  constructor(value: bigint) {
    this.value = value;
  }
}

/** Null, a boolean, an int, a uint, a double, a text, or bytes. The bytes must not be changed. */
export type Literal = null | boolean | bigint | Uint | number | string | Uint8Array;
