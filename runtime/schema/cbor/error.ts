/** Bytes that are no CBOR as 1.32 takes it, or none of the type; worded as 1.32 words it. */
export class CborError extends Error {
  override readonly name = 'CborError';
}
