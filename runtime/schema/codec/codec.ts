/** Compiles types, and decodes JSON values into their objects. */
import type { CompiledStruct } from '../compile.ts';
import { type Decoded, type DecodeOptions, decode as decodeGo } from '../decode.ts';
import { type DecodeError, explain, type MemberOrder } from '../explain.ts';
import { asWritten } from '../json/json-exact.ts';
import { decodeStructural } from '../structural/decode.ts';
import { explainStructural } from '../structural/explain.ts';

export { CompiledStruct, compileType } from '../compile.ts';
export type { Decoded, DecodeOptions } from '../decode.ts';
export { DecodeError, type MemberOrder } from '../explain.ts';
export { strictErrors } from '../strict-errors.ts';
export { metadataProblem } from '../structural/metadata.ts';
export { type StructuralSchema, structuralType } from '../structural/structural.ts';

/**
 * Decodes a JSON value to an object of a Go type (`decode.ts`) or a structural one (`structural/decode.ts`).
 * @param input a parsed JSON value; never changed
 * @throws DecodeError in the words of 1.32 for the first error
 */
export function decode(struct: CompiledStruct, input: unknown, options: DecodeOptions): Decoded {
  return struct.isGo ? decodeGo(struct, input, options) : { ...decodeStructural(struct, input, options), emptied: undefined };
}

/**
 * The error that `decode` would have thrown if it read members by name: of several errors, the first in that order.
 * @param error what `decode` has thrown
 */
export function errorByName(struct: CompiledStruct, input: unknown, error: DecodeError): DecodeError {
  return (struct.isGo ? explain(struct, input, 'byName').error : undefined) ?? error;
}

/** The error of a text in which a member occurs twice: 1.32 reads each occurrence. @param text valid JSON, for a Go type */
export function errorInWritten(struct: CompiledStruct, text: string): DecodeError | undefined {
  const { value, members } = asWritten(text);
  return explain(struct, value, 'written', members).error;
}

/** The paths of an input's unknown members. @param order for Go types; structural types have only one order */
export function unknownFieldsOf(struct: CompiledStruct, input: unknown, order: MemberOrder): string[] {
  return (struct.isGo ? explain(struct, input, order) : explainStructural(struct, input)).unknownFields;
}
