/** Encodes and decodes objects in protobuf, byte for byte as 1.32 does. */
export { decodeProtobuf, type ProtobufOptions } from './decode.ts';
export { encodeProtobuf } from './encode.ts';
export { type Envelope, envelopeAround, unwrapEnvelope, wrapEnvelope } from './envelope.ts';
export { ProtobufError } from './error.ts';
export { WrittenJson } from './written-json.ts';
