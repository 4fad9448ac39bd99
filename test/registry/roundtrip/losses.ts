/** What an object loses on its way through another form. */
import type { ApiObject } from '../../../runtime/contract/object.ts';
import type { Kind } from '../../../runtime/registry/kind.ts';
import type { CompiledStruct } from '../../../runtime/schema/codec/codec.ts';
import { copyValue } from '../../../runtime/schema/copy.ts';
import { parseJson } from '../../../runtime/schema/json-text.ts';
import type { JsonObject } from '../../../runtime/schema/member.ts';
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

/**
 * Takes an object through its hub, and through every other version of its kind, back to its own.
 * @param versions all that have the same hub
 */
export function conversionLoss(kind: Kind, object: ApiObject, versions: readonly Kind[]): string | undefined {
  const own = JSON.stringify(object);
  const difference = textDifference(own, kind.fromHub(kind.toHub(copyValue(object))));
  if (difference !== undefined) return `through ${kind.hub.apiVersion}: ${difference}`;
  for (const other of versions) {
    if (other === kind) continue;
    const there = parseJson(JSON.stringify(other.fromHub(kind.toHub(copyValue(object))))).value as ApiObject;
    const lost = textDifference(own, kind.fromHub(other.toHub(there)));
    if (lost !== undefined) return `through ${other.apiVersion}: ${lost}`;
  }
  return undefined;
}

/** Texts are parsed only where they are not the same. */
function textDifference(expected: string, got: object): string | undefined {
  const text = JSON.stringify(got);
  return text === expected ? undefined : jsonDifference(JSON.parse(expected), JSON.parse(text));
}

/** The first difference of two JSON values in the order in which they are written, with its path. */
export function jsonDifference(expected: unknown, got: unknown, path = ''): string | undefined {
  const [before, after] = [JSON.stringify(expected), JSON.stringify(got)];
  if (before === after) return undefined;
  if (!isContainer(expected) || !isContainer(got) || Array.isArray(expected) !== Array.isArray(got))
    return `${path}: ${before} became ${after}`;
  for (const name of new Set([...Object.keys(expected), ...Object.keys(got)])) {
    const difference = jsonDifference(member(expected, name), member(got, name), `${path}.${name}`);
    if (difference !== undefined) return difference;
  }
  return `${path}: members in another order, ${Object.keys(expected)} became ${Object.keys(got)}`;
}

function isContainer(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !('rawJSON' in value);
}

function member(value: object, name: string): unknown {
  return Object.hasOwn(value, name) ? (value as Record<string, unknown>)[name] : undefined;
}
