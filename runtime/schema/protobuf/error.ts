/** Bytes that are no message of the type, worded as 1.32 words it. */
export class ProtobufError extends Error {
  override readonly name = 'ProtobufError';
}

/** @throws ProtobufError unless a field has the wire type that its message wants. @param field its name in Go */
export function requireWire(wire: number, wanted: number, field: string): void {
  if (wire !== wanted) throw wrongWire(wire, field);
}

export function wrongWire(wire: number, field: string): ProtobufError {
  return new ProtobufError(`proto: wrong wireType = ${wire} for field ${field}`);
}
