/** Bytes that are no message of the type. The text is that of 1.32. */
export class ProtobufError extends Error {
  override readonly name = 'ProtobufError';
}

/** @throws ProtobufError if a field has another wire type than `wanted` @param field its name in Go */
export function requireWire(wire: number, wanted: number, field: string): void {
  if (wire !== wanted) throw wrongWire(wire, field);
}

export function wrongWire(wire: number, field: string): ProtobufError {
  return new ProtobufError(`proto: wrong wireType = ${wire} for field ${field}`);
}
