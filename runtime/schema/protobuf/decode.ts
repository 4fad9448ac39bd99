/** Decodes protobuf messages to objects. */
import { assemble, zeroItem } from '../assemble.ts';
import { Code, type CompiledList, type CompiledMap, type CompiledStruct, type CompiledType, type CompiledUnion } from '../compile.ts';
import { noteName } from '../json/backslash-names.ts';
import { parseJson } from '../json/json-text.ts';
import { utf8Text } from '../text/utf8-text.ts';
import { ProtobufError, requireWire, wrongWire } from './error.ts';
import { DELIMITED, type Message, type MessageField, messageOf, VARINT, wireType } from './layout.ts';
import { Reader } from './reader.ts';
import { readDuration, readIntOrString, readMicroTime, readQuantity, readTime } from './scalar-messages.ts';
import { WrittenJson } from './written-json.ts';

/** Limit of nested messages. Only recursive types come near it. */
const MAX_DEPTH = 1_000;
/** Depth of an entry of managedFields in the object's own metadata: object, metadata, entry. */
const OWN_ENTRY = 3;

export interface ProtobufOptions {
  /** keeps the sets of the object's own managed fields as unchecked texts (`WrittenJson`); default: they are parsed */
  readonly keepsSets?: boolean;
}

/**
 * Decodes the object that `decode` returns for the same content in JSON without defaults. Unknown fields are skipped.
 * @throws ProtobufError
 */
export function decodeProtobuf(struct: CompiledStruct, bytes: Uint8Array, { keepsSets = false }: ProtobufOptions = {}): object {
  try {
    return decoded(struct, bytes, keepsSets);
  } catch (error) {
    if (error instanceof ProtobufError) throw error;
    throw new ProtobufError(error instanceof Error ? error.message : String(error));
  }
}

/** A field that is no list contains a second message. */
class RepeatedMessage extends Error {}

/**
 * A message whose field occurs twice must be merged, but no writer produces that, and merging would take a fifth longer. So decoding starts
 * again with merging only when that is found.
 */
function decoded(struct: CompiledStruct, bytes: Uint8Array, keepsSets: boolean): object {
  try {
    return new MessageDecoder(bytes, keepsSets, false).message(struct);
  } catch (error) {
    if (!(error instanceof RepeatedMessage)) throw error;
    return new MessageDecoder(bytes, keepsSets, true).message(struct);
  }
}

class MessageDecoder {
  readonly #reader: Reader;
  readonly #keepsSets: boolean;
  readonly #joins: boolean;
  #depth = 0;

  /** @param joins whether several messages of one field are merged; otherwise they cause a `RepeatedMessage` */
  constructor(bytes: Uint8Array, keepsSets: boolean, joins: boolean) {
    this.#reader = new Reader(bytes);
    this.#keepsSets = keepsSets;
    this.#joins = joins;
  }

  message(struct: CompiledStruct): object {
    const values = new Array<unknown>(struct.members.length);
    const message = messageOf(struct);
    this.#read(message, values);
    return this.#joins ? assembled(struct, message, values) : assemble(struct, values);
  }

  #read(message: Message, values: unknown[]): void {
    if (++this.#depth > MAX_DEPTH) throw new ProtobufError('exceeded max depth');
    this.#fields(message, values);
    this.#depth--;
  }

  #fields(message: Message, values: unknown[]): void {
    const reader = this.#reader;
    while (reader.more) {
      const tag = reader.tag(message.name);
      const wire = tag % 8;
      const field = message.byNumber.get(Math.floor(tag / 8));
      if (field === undefined) reader.skip(wire);
      else if (field.inline !== undefined) {
        requireWire(wire, DELIMITED, field.name);
        const outer = reader.enter();
        this.#fields(field.inline, values);
        reader.leave(outer);
      } else if (field.member !== undefined) this.#field(field, field.member.index, field.member.type, wire, values);
    }
  }

  #field(field: MessageField, index: number, type: CompiledType, wire: number, values: unknown[]): void {
    if (field.wrapped) {
      requireWire(wire, DELIMITED, field.name);
      values[index] = this.#value(type) ?? [];
    } else if (type.code === Code.list) {
      const list = (values[index] ?? []) as unknown[];
      values[index] = list;
      this.#elements(field.name, (type as CompiledList).element, wire, list);
    } else if (type.code === Code.map) {
      requireWire(wire, DELIMITED, field.name);
      const map = (values[index] ?? new Map()) as Map<string, unknown>;
      values[index] = map;
      this.#entry((type as CompiledMap).value, map);
    } else {
      requireWire(wire, wireType(type.code), field.name);
      if (type.code !== Code.struct || (!this.#joins && values[index] === undefined)) values[index] = this.#value(type);
      else values[index] = this.#part(type as CompiledStruct, values[index] as unknown[] | undefined);
    }
  }

  /** Decodes a message whose fields are merged with those of an earlier one. @throws RepeatedMessage */
  #part(struct: CompiledStruct, before: unknown[] | undefined): unknown[] {
    if (!this.#joins) throw new RepeatedMessage();
    const outer = this.#reader.enter();
    const values = before ?? new Array<unknown>(struct.members.length);
    this.#read(messageOf(struct), values);
    this.#reader.leave(outer);
    return values;
  }

  /** Reads one element, or several numbers that are packed into one field. */
  #elements(field: string, element: CompiledType, wire: number, list: unknown[]): void {
    const wanted = wireType(element.code);
    if (wire === wanted) {
      list.push(this.#value(element));
      return;
    }
    if (wire !== DELIMITED) throw wrongWire(wire, field);
    const outer = this.#reader.enter();
    while (this.#reader.more) list.push(this.#value(element));
    this.#reader.leave(outer);
  }

  /** As in Go, the wire types of key and value are not checked. */
  #entry(type: CompiledType, map: Map<string, unknown>): void {
    const reader = this.#reader;
    const outer = reader.enter();
    let key = '';
    let value: unknown;
    while (reader.more) {
      const tag = reader.entryTag();
      const number = Math.floor(tag / 8);
      if (number === 1) key = reader.text();
      else if (number === 2) value = this.#value(type);
      else reader.skip(tag % 8);
    }
    reader.leave(outer);
    noteName(key);
    map.set(key, value ?? zeroItem(type));
  }

  #value(type: CompiledType): unknown {
    const reader = this.#reader;
    switch (type.code) {
      case Code.string:
        return reader.text();
      case Code.boolean:
        return reader.bool();
      case Code.int32:
        return reader.int32();
      case Code.int64:
        return reader.int64();
      case Code.double:
        return reader.double();
      case Code.bytes:
        return reader.base64();
      case Code.rawExtension:
      case Code.json:
        return this.#raw();
      case Code.fieldsV1:
        return this.#raw(this.#keepsSets && this.#depth === OWN_ENTRY);
      default: {
        const outer = reader.enter();
        const value = this.#message(type);
        reader.leave(outer);
        return value;
      }
    }
  }

  #message(type: CompiledType): unknown {
    switch (type.code) {
      case Code.struct:
        return this.message(type as CompiledStruct);
      case Code.list:
        return this.#wrappedList((type as CompiledList).element);
      case Code.time:
        return readTime(this.#reader);
      case Code.microTime:
        return readMicroTime(this.#reader);
      case Code.duration:
        return readDuration(this.#reader);
      case Code.quantity:
        return readQuantity(this.#reader);
      case Code.structOrBoolean:
      case Code.structOrList:
      case Code.structOrNames:
        return this.#union(type as CompiledUnion);
      default:
        return readIntOrString(this.#reader);
    }
  }

  /** Beside a boolean the struct has number 2, beside a list number 1. */
  #union({ code, struct }: CompiledUnion): unknown {
    const reader = this.#reader;
    const structNumber = code === Code.structOrBoolean ? 2 : 1;
    const list: unknown[] = [];
    let single: unknown;
    let allows = false;
    while (reader.more) {
      const tag = reader.tag(struct.type.name);
      const [number, wire] = [Math.floor(tag / 8), tag % 8];
      if (number !== 1 && number !== 2) reader.skip(wire);
      else if (number === structNumber) single = this.#member(struct, wire);
      else if (code === Code.structOrList) list.push(this.#member(struct, wire));
      else if (code === Code.structOrNames) {
        requireWire(wire, DELIMITED, 'Property');
        list.push(reader.text());
      } else {
        requireWire(wire, VARINT, 'Allows');
        allows = reader.bool();
      }
    }
    if (code === Code.structOrBoolean) return single ?? allows;
    return list.length > 0 ? list : (single ?? null);
  }

  #member(struct: CompiledStruct, wire: number): object {
    requireWire(wire, DELIMITED, struct.type.name);
    const outer = this.#reader.enter();
    const value = this.message(struct);
    this.#reader.leave(outer);
    return value;
  }

  /** Reads a list that is the value of a map: a message with one repeated field. */
  #wrappedList(element: CompiledType): unknown[] | null {
    const list: unknown[] = [];
    while (this.#reader.more) {
      const tag = this.#reader.tag('items');
      if (Math.floor(tag / 8) !== 1) this.#reader.skip(tag % 8);
      else this.#elements('items', element, tag % 8, list);
    }
    return list.length === 0 ? null : list;
  }

  /** Reads a message whose only field contains JSON bytes. @returns null if there are none */
  #raw(staysText = false): unknown {
    const reader = this.#reader;
    const outer = reader.enter();
    let value: unknown = null;
    while (reader.more) {
      const tag = reader.tag('RawExtension');
      if (Math.floor(tag / 8) !== 1) reader.skip(tag % 8);
      else {
        requireWire(tag % 8, DELIMITED, 'Raw');
        const bytes = reader.bytes();
        const text = utf8Text(bytes);
        if (text === '') value = null;
        else value = staysText ? new WrittenJson(text) : parseJson(text, bytes).value;
      }
    }
    reader.leave(outer);
    return value;
  }
}

/** Builds the object after all its messages were merged. Until then the values of a struct stand in an array. */
function assembled(struct: CompiledStruct, { structs }: Message, values: unknown[]): object {
  for (const { index, type } of structs) {
    const part = values[index] as unknown[] | undefined;
    if (part !== undefined) values[index] = assembled(type as CompiledStruct, messageOf(type as CompiledStruct), part);
  }
  return assemble(struct, values);
}
