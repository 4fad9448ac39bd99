/** An unsigned integer of 64 bits, which is no int. */
export class Uint {
  readonly value: bigint;
  constructor(value: bigint) {
    this.value = value;
  }
}

/** Null, a boolean, an int, a uint, a double, a text, or bytes. Nobody changes the bytes. */
export type Literal = null | boolean | bigint | Uint | number | string | Uint8Array;
