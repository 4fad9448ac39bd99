/** Bytes that are no message of the type, worded as 1.32 words it. */
export class ProtobufError extends Error {
  override readonly name = 'ProtobufError';
}
