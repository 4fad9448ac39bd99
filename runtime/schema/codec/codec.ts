/** Types ready for use, and the way from JSON values to their objects. */
import type { CompiledStruct } from '../compile.ts';
import { type Decoded, type DecodeOptions, decode as decodeGo } from '../decode.ts';
import { type DecodeError, explain, type MemberOrder } from '../explain.ts';
import { asWritten } from '../json-exact.ts';
import { decodeStructural } from '../structural/decode.ts';
import { explainStructural } from '../structural/explain.ts';

export { CompiledStruct, compileType } from '../compile.ts';
export type { Decoded, DecodeOptions } from '../decode.ts';
export { DecodeError, type MemberOrder } from '../explain.ts';
export { strictErrors } from '../strict-errors.ts';
export { metadataProblem } from '../structural/metadata.ts';
export { type StructuralSchema, structuralType } from '../structural/structural.ts';

/**
 * A JSON value as an object of a type, which is one of Go's (`decode.ts`) or structural (`structural/decode.ts`).
 * @param input a parsed JSON value; never changed
 * @throws DecodeError worded as 1.32 words the first error
 */
export function decode(struct: CompiledStruct, input: unknown, options: DecodeOptions): Decoded {
  return struct.isGo ? decodeGo(struct, input, options) : { ...decodeStructural(struct, input, options), emptied: undefined };
}

/** What `decode` throws of an input whose members are read by name: of several errors the first one in that order. @param error what it threw */
export function errorByName(struct: CompiledStruct, input: unknown, error: DecodeError): DecodeError {
  return (struct.isGo ? explain(struct, input, 'byName').error : undefined) ?? error;
}

/** What 1.32 says of a text in which members stand twice: it reads each of them. @param text of valid JSON, for a type of Go's */
export function errorInWritten(struct: CompiledStruct, text: string): DecodeError | undefined {
  const { value, members } = asWritten(text);
  return explain(struct, value, 'written', members).error;
}

/** The paths of an input's unknown members. @param order of those of Go's types; others are told of in one order alone */
export function unknownFieldsOf(struct: CompiledStruct, input: unknown, order: MemberOrder): string[] {
  return (struct.isGo ? explain(struct, input, order) : explainStructural(struct, input)).unknownFields;
}
