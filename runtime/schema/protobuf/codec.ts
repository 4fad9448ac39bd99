/** Objects in the binary form of the API, byte for byte that of 1.32. */
export { decodeProtobuf, type ProtobufOptions } from './decode.ts';
export { encodeProtobuf } from './encode.ts';
export { type Envelope, envelopeAround, unwrapEnvelope, wrapEnvelope } from './envelope.ts';
export { ProtobufError } from './error.ts';
export { WrittenJson } from './written-json.ts';
