/** Encodes and decodes messages of gRPC interfaces (proto3) by their layouts. */
import type { Sparse, WireField, WireMessage, WireScalar } from '../../contract/node-interface.ts';
import { bigintOf } from '../scalar/raw-number.ts';
import { requireWire } from './error.ts';
import { DELIMITED, FIXED32, FIXED64, VARINT } from './layout.ts';
import { Reader } from './reader.ts';
import { BackwardWriter } from './writer.ts';

type Values = Record<string, unknown>;

const writer = new BackwardWriter();

/** @param message never changed; members that the layout does not have are left out */
export function encodeWireMessage<T>(layout: WireMessage<T>, message: Sparse<T>): Buffer {
  try {
    writeMessage(layout, message as Values);
    return writer.finish();
  } finally {
    writer.reset();
  }
}

function writeMessage({ fields }: WireMessage, values: Values): void {
  for (let i = fields.length - 1; i >= 0; i--) {
    const field = fields[i] as WireField;
    const value = values[field.name];
    if (value === undefined) continue;
    if (field.rule === 'map') writeMap(field.number, value as ReadonlyMap<string, string>);
    else if (field.rule === 'repeated') writeList(field, value as readonly unknown[]);
    else if (field.optional === true || !isZero(value)) writeItem(field, value);
  }
}

function writeList(field: WireField, elements: readonly unknown[]): void {
  for (let i = elements.length - 1; i >= 0; i--) writeItem(field, elements[i]);
}

function isZero(value: unknown): boolean {
  return value === '' || value === false || value === 0 || value === 0n || (value instanceof Uint8Array && value.length === 0);
}

function writeMap(number: number, map: ReadonlyMap<string, string>): void {
  for (const [key, value] of [...map].reverse()) {
    const before = writer.length;
    writeText(2, value);
    writeText(1, key);
    writer.varint(writer.length - before);
    writer.tag(number, DELIMITED);
  }
}

function writeText(number: number, text: string): void {
  writer.text(text);
  writer.tag(number, DELIMITED);
}

function writeItem({ type, number }: WireField, value: unknown): void {
  if (typeof type === 'function') {
    const before = writer.length;
    writeMessage(type(), value as Values);
    writer.varint(writer.length - before);
    writer.tag(number, DELIMITED);
  } else if (type === 'string') writeText(number, value as string);
  else if (type === 'bytes') {
    writer.raw(value as Uint8Array);
    writer.varint((value as Uint8Array).length);
    writer.tag(number, DELIMITED);
  } else if (type === 'fixed64') {
    writer.fixed64(value as bigint);
    writer.tag(number, FIXED64);
  } else if (type === 'fixed32') {
    writer.fixed32(value as number);
    writer.tag(number, FIXED32);
  } else {
    writer.int64(type === 'bool' ? Number(value) : (value as number | bigint));
    writer.tag(number, VARINT);
  }
}

/**
 * Unknown fields are skipped. If a field that is no list occurs twice, the last one counts; messages are not merged.
 * @throws ProtobufError for bytes that are no such message
 */
export function decodeWireMessage<T>(layout: WireMessage<T>, bytes: Uint8Array): T {
  return readMessage(layout, new Reader(bytes)) as T;
}

function readMessage(layout: WireMessage, reader: Reader): Values {
  const values: Values = {};
  for (const field of layout.fields) values[field.name] = zero(field);
  while (reader.more) {
    const tag = reader.tag(layout.name);
    const [number, wire] = [Math.floor(tag / 8), tag % 8];
    const field = layout.fields.find((each) => each.number === number);
    if (field === undefined) reader.skip(wire);
    else readField(field, wire, reader, values);
  }
  return values;
}

function zero({ rule, optional, type }: WireField): unknown {
  if (rule === 'repeated') return [];
  if (rule === 'map') return new Map<string, string>();
  return typeof type === 'function' || optional === true ? undefined : ZEROS[type];
}

const ZEROS: Readonly<Record<WireScalar, unknown>> = {
  string: '',
  bool: false,
  int32: 0,
  uint32: 0,
  int64: 0n,
  uint64: 0n,
  safeInt64: 0,
  fixed32: 0,
  fixed64: 0n,
  enum: 0,
  bytes: Buffer.alloc(0),
};

function readField(field: WireField, wire: number, reader: Reader, values: Values): void {
  const wanted = field.rule === 'map' ? DELIMITED : wireOf(field.type);
  const list = values[field.name];
  if (field.rule === 'repeated' && wanted !== DELIMITED && wire === DELIMITED) {
    const outer = reader.enter();
    while (reader.more) (list as unknown[]).push(readItem(field.type, reader));
    reader.leave(outer);
    return;
  }
  requireWire(wire, wanted, field.name);
  if (field.rule === 'map') readEntry(reader, list as Map<string, string>, field.name);
  else if (field.rule === 'repeated') (list as unknown[]).push(readItem(field.type, reader));
  else values[field.name] = readItem(field.type, reader);
}

function wireOf(type: WireField['type']): number {
  if (typeof type === 'function' || type === 'string' || type === 'bytes') return DELIMITED;
  if (type === 'fixed64') return FIXED64;
  return type === 'fixed32' ? FIXED32 : VARINT;
}

function readItem(type: WireField['type'], reader: Reader): unknown {
  if (typeof type === 'function') {
    const outer = reader.enter();
    const message = readMessage(type(), reader);
    reader.leave(outer);
    return message;
  }
  switch (type) {
    case 'string':
      return reader.text();
    case 'bytes':
      return reader.bytes();
    case 'bool':
      return reader.bool();
    case 'int64':
      return bigintOf(reader.int64());
    case 'uint64':
      return reader.uint64();
    case 'safeInt64':
      return reader.safeInt64();
    case 'uint32':
      return reader.int32() >>> 0;
    case 'fixed64':
      return reader.fixed64();
    case 'fixed32':
      return reader.fixed32();
    default:
      return reader.int32();
  }
}

function readEntry(reader: Reader, map: Map<string, string>, name: string): void {
  const outer = reader.enter();
  let [key, value] = ['', ''];
  while (reader.more) {
    const tag = reader.tag(name);
    const [number, wire] = [Math.floor(tag / 8), tag % 8];
    if (number !== 1 && number !== 2) {
      reader.skip(wire);
      continue;
    }
    requireWire(wire, DELIMITED, name);
    if (number === 1) key = reader.text();
    else value = reader.text();
  }
  reader.leave(outer);
  map.set(key, value);
}
