/** Bytes that are no CBOR that 1.32 accepts, or that do not fit the type. The message is that of 1.32. */
export class CborError extends Error {
  override readonly name = 'CborError';
}
