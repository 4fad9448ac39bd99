/** What an object loses on its way through another form. */
import { textDifference } from '../../../codegen/policy/conversions/conversion-loss.ts';
import type { ApiObject } from '../../../runtime/contract/object.ts';
import type { Kind } from '../../../runtime/registry/kinds/kind.ts';
import type { CompiledStruct } from '../../../runtime/schema/codec/codec.ts';
import { parseJson } from '../../../runtime/schema/json/json-text.ts';
import type { JsonObject } from '../../../runtime/schema/json/member.ts';
import { decodeProtobuf, encodeProtobuf, unwrapEnvelope, wrapEnvelope } from '../../../runtime/schema/protobuf/codec.ts';

/**
 * Writes an object as protobuf and reads it again.
 * @param object decoded; unchanged
 * @param reader the type that reads; another one than the writer's only to see that differences are found
 * @returns the difference, undefined where nothing is lost
 */
export function protobufLoss(kind: Kind, object: ApiObject, reader: CompiledStruct = kind.compiled): string | undefined {
  const bytes = wrapEnvelope(object.apiVersion, object.kind, encodeProtobuf(kind.compiled, object));
  const envelope = unwrapEnvelope(bytes);
  const read = { kind: envelope.kind, apiVersion: envelope.apiVersion, ...decodeProtobuf(reader, envelope.raw) } as ApiObject;
  const difference = textDifference(JSON.stringify(object), read);
  if (difference !== undefined) return difference;
  const again = wrapEnvelope(read.apiVersion, read.kind, encodeProtobuf(kind.compiled, read));
  return again.equals(bytes) ? undefined : `equal JSON gives other bytes: ${bytes.toString('hex')} and ${again.toString('hex')}`;
}

/**
 * Decodes an object, and decodes what that has given as JSON text.
 * @returns the difference, undefined where the second changes nothing
 */
export function decodingLoss(kind: Kind, object: JsonObject): string | undefined {
  const first = kind.decode(object);
  const text = JSON.stringify(first.object);
  const second = kind.decode(parseJson(text).value);
  const unknown = [...first.unknownFields, ...second.unknownFields];
  return unknown.length > 0 ? `unknown: ${unknown.join(', ')}` : textDifference(text, second.object);
}
