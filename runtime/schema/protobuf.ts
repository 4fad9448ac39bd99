/** Objects in the binary form of the API, byte for byte that of 1.32. */
export { decodeProtobuf } from './protobuf/decode.ts';
export { encodeProtobuf } from './protobuf/encode.ts';
export { type Envelope, envelopeAround, unwrapEnvelope, wrapEnvelope } from './protobuf/envelope.ts';
export { ProtobufError } from './protobuf/error.ts';
