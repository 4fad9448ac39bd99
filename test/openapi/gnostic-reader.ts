/** Reads binary documents with an independent implementation of protocol buffers, back into the JSON that they were made of. */
import { readFileSync } from 'node:fs';
import protobuf from 'protobufjs';

type Message = Record<string, unknown>;

/** @param version of the descriptors beside this file: names and numbers of the published messages, as far as documents of ours use them */
export function gnosticReader(version: 'v2' | 'v3'): (bytes: Buffer) => unknown {
  const text = readFileSync(new URL(`gnostic-${version}.json`, import.meta.url), 'utf8');
  const root = protobuf.Root.fromJSON(JSON.parse(text));
  const document = root.lookupType('Document');
  return (bytes) => toJson(document, document.toObject(document.decode(bytes), { longs: Number }));
}

function toJson(type: protobuf.Type, message: Message): unknown {
  if (type.name === 'Any') return JSON.parse(String(message.yaml));
  if (type.name === 'StringArray') return message.value ?? [];
  const present = type.fieldsArray.filter((field) => message[field.name] !== undefined);
  if (type.oneofsArray.length > 0) {
    const [only] = present;
    return only === undefined ? {} : fieldToJson(only, message[only.name]);
  }
  if (type.name === 'TypeItem' || type.name === 'ItemsItem')
    return (fieldToJson(present[0] as protobuf.Field, Object.values(message)[0]) as unknown[])[0];
  const json: Message = {};
  for (const field of present) {
    const value = message[field.name];
    if (field.repeated && field.type.startsWith('Named')) Object.assign(json, entries(field, value as Message[]));
    else json[jsonName(field.name)] = fieldToJson(field, value);
  }
  return json;
}

function entries(field: protobuf.Field, pairs: readonly Message[]): Message {
  const value = (field.resolve().resolvedType as protobuf.Type).fields.value as protobuf.Field;
  return Object.fromEntries(pairs.map((pair) => [pair.name, fieldToJson(value, pair.value)]));
}

function fieldToJson(field: protobuf.Field, value: unknown): unknown {
  const type = field.resolve().resolvedType;
  const convert = (each: unknown): unknown => (type instanceof protobuf.Type ? toJson(type, each as Message) : each);
  return field.repeated ? (value as unknown[]).map(convert) : convert(value);
}

function jsonName(name: string): string {
  return name === '_ref' ? '$ref' : name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
}
