/** Encodes objects as protobuf messages, byte for byte as 1.32 does. */
import { writeJson } from '../../contract/json-writer.ts';
import { Code, type CompiledList, type CompiledMap, type CompiledStruct, type CompiledType, type CompiledUnion } from '../compile.ts';
import { compareUtf8, type JsonObject } from '../json/member.ts';
import { parseDuration } from '../scalar/duration.ts';
import { numberText } from '../scalar/raw-number.ts';
import { instantOf } from '../scalar/time.ts';
import { DELIMITED, type Message, messageOf, VARINT, wireType } from './layout.ts';
import { BackwardWriter } from './writer.ts';
import { WrittenJson } from './written-json.ts';

const writer = new BackwardWriter();

/**
 * A member that is no pointer is written even if it is absent or zero, except lists, maps and bytes; a pointer is written only if present.
 * @param object as `decode` returns it; never changed
 */
export function encodeProtobuf(struct: CompiledStruct, object: object): Buffer {
  try {
    writeStruct(struct, object as JsonObject);
    return writer.finish();
  } finally {
    writer.reset();
  }
}

function writeStruct(struct: CompiledStruct, object: JsonObject): void {
  const values = new Array<unknown>(struct.members.length);
  for (const name in object) {
    const member = struct.byName.get(name);
    if (member !== undefined) values[member.index] = object[name];
  }
  writeFields(messageOf(struct), values);
}

function writeFields({ fields }: Message, values: readonly unknown[]): void {
  for (let i = fields.length - 1; i >= 0; i--) {
    const field = fields[i] as Message['fields'][number];
    if (field.inline !== undefined) {
      const before = writer.length;
      writeFields(field.inline, values);
      writer.varint(writer.length - before);
      writer.tag(field.number, DELIMITED);
    } else if (field.member !== undefined) {
      const { type, pointer, index } = field.member;
      if (field.wrapped) writeWrapped(type, field.number, values[index]);
      else writeField(type, field.number, values[index], pointer);
    }
  }
}

function writeField(type: CompiledType, number: number, value: unknown, pointer: boolean): void {
  const present = value !== undefined && value !== null;
  if (type.code === Code.list) {
    if (present) writeList(type as CompiledList, number, value as unknown[]);
  } else if (type.code === Code.map) {
    if (present) writeMap(type as CompiledMap, number, value as JsonObject);
  } else if (present || (!pointer && type.code !== Code.bytes)) {
    writeItem(type, number, value);
  }
}

/** Writes a list as a message of its own, if the list is present. */
function writeWrapped(type: CompiledType, number: number, value: unknown): void {
  if (value !== undefined && value !== null) writeItem(type, number, value);
}

function writeList({ element }: CompiledList, number: number, list: readonly unknown[]): void {
  for (let i = list.length - 1; i >= 0; i--) writeItem(element, number, list[i]);
}

function writeMap({ value: type }: CompiledMap, number: number, map: JsonObject): void {
  const names = Object.keys(map).sort(compareUtf8);
  for (let i = names.length - 1; i >= 0; i--) {
    const name = names[i] as string;
    const before = writer.length;
    writeItem(type, 2, map[name]);
    writer.text(name);
    writer.tag(1, DELIMITED);
    writer.varint(writer.length - before);
    writer.tag(number, DELIMITED);
  }
}

/** Writes a value with its tag; null and undefined mean the zero value. */
function writeItem(type: CompiledType, number: number, value: unknown): void {
  switch (type.code) {
    case Code.string:
      writer.text((value as string | undefined) ?? '');
      break;
    case Code.boolean:
      writer.varint(value === true ? 1 : 0);
      break;
    case Code.int32:
    case Code.int64:
      writeInteger(value);
      break;
    case Code.double:
      // a large number may be held as its digits, even as the value of a double
      writer.double(typeof value === 'number' ? value : Number(numberText(value) ?? 0));
      break;
    case Code.bytes:
      writer.bytes((value as string | undefined) ?? '', 'base64');
      break;
    default: {
      const before = writer.length;
      writeMessage(type, value);
      writer.varint(writer.length - before);
    }
  }
  writer.tag(number, wireType(type.code));
}

function writeInteger(value: unknown): void {
  if (typeof value === 'number') writer.int64(value);
  else writer.int64(BigInt(numberText(value) ?? 0));
}

function writeMessage(type: CompiledType, value: unknown): void {
  switch (type.code) {
    case Code.struct:
      writeStruct(type as CompiledStruct, (value ?? {}) as JsonObject);
      break;
    case Code.list:
      if (value) writeList(type as CompiledList, 1, value as unknown[]);
      break;
    case Code.time:
    case Code.microTime:
      if (value) writeInstant(value as string);
      break;
    case Code.duration:
      writer.int64(parseDuration((value as string | undefined) ?? '0s') ?? 0n);
      writer.tag(1, VARINT);
      break;
    case Code.quantity:
      writer.text((value as string | undefined) ?? '0');
      writer.tag(1, DELIMITED);
      break;
    case Code.intOrString:
      writeIntOrString(value);
      break;
    case Code.structOrBoolean:
      writeStructOrBoolean((type as CompiledUnion).struct, value);
      break;
    case Code.structOrList:
      writeStructOrList((type as CompiledUnion).struct, value);
      break;
    case Code.structOrNames:
      writeStructOrNames((type as CompiledUnion).struct, value);
      break;
    default:
      if (value !== undefined && value !== null) {
        writer.bytes(value instanceof WrittenJson ? value.text : writeJson(value), 'utf8');
        writer.tag(1, DELIMITED);
      }
  }
}

/** The flag tells whether anything is allowed, so it is true beside a struct. */
function writeStructOrBoolean(struct: CompiledStruct, value: unknown): void {
  const isStruct = typeof value === 'object' && value !== null;
  if (isStruct) writeItem(struct, 2, value);
  writer.varint(isStruct || value === true ? 1 : 0);
  writer.tag(1, VARINT);
}

function writeStructOrList(struct: CompiledStruct, value: unknown): void {
  if (Array.isArray(value)) for (let i = value.length - 1; i >= 0; i--) writeItem(struct, 2, value[i]);
  else if (value) writeItem(struct, 1, value);
}

function writeStructOrNames(struct: CompiledStruct, value: unknown): void {
  if (!Array.isArray(value)) {
    if (value) writeItem(struct, 1, value);
    return;
  }
  for (let i = value.length - 1; i >= 0; i--) {
    writer.text(value[i] as string);
    writer.tag(2, DELIMITED);
  }
}

function writeInstant(text: string): void {
  const { seconds, nanos } = instantOf(text);
  writer.varint(nanos);
  writer.tag(2, VARINT);
  writer.int64(seconds);
  writer.tag(1, VARINT);
}

function writeIntOrString(value: unknown): void {
  writer.text(typeof value === 'string' ? value : '');
  writer.tag(3, DELIMITED);
  writer.int64(typeof value === 'number' ? value : 0);
  writer.tag(2, VARINT);
  writer.varint(typeof value === 'string' ? 1 : 0);
  writer.tag(1, VARINT);
}
