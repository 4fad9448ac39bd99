/** Types ready for use, and the way from JSON values to their objects. */
export { CompiledStruct, compileType } from './compile.ts';
export { type Decoded, type DecodeOptions, decode } from './decode.ts';
export { DecodeError } from './explain.ts';
export { strictErrors } from './strict-errors.ts';
