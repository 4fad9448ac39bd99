/**
 * The messages of compiled structs. An inline struct is a message with its own number, although its members belong to the enclosing JSON
 * object. So the fields of both messages refer to members of that object's struct.
 */
import type { Field, StructType } from '../../contract/descriptor.ts';
import { Code, type CompiledMember, type CompiledStruct } from '../compile.ts';
import { goName } from '../text/go-name.ts';

export const VARINT = 0;
export const FIXED64 = 1;
export const DELIMITED = 2;
export const START_GROUP = 3;
export const END_GROUP = 4;
export const FIXED32 = 5;

export interface MessageField {
  readonly number: number;
  /** its name in Go, for error messages */
  readonly name: string;
  /** the member of the JSON object; undefined for an inline struct */
  readonly member: CompiledMember | undefined;
  readonly inline: Message | undefined;
  /** whether the field is a list in a message of its own */
  readonly wrapped: boolean;
}

export interface Message {
  readonly name: string;
  /** by ascending number, which is the order of writing */
  readonly fields: readonly MessageField[];
  readonly byNumber: ReadonlyMap<number, MessageField>;
  /** members that are messages, including those of inline structs */
  readonly structs: readonly CompiledMember[];
}

const messages = new WeakMap<CompiledStruct, Message>();

/** The message of a struct. Fields without a number, such as kind and apiVersion, are not part of it. */
export function messageOf(struct: CompiledStruct): Message {
  const known = messages.get(struct);
  if (known !== undefined) return known;
  const message = layOut(struct.type, struct);
  messages.set(struct, message);
  return message;
}

function layOut(type: StructType, owner: CompiledStruct): Message {
  const fields = type.fields.flatMap((field) => messageField(field, owner)).sort((a, b) => a.number - b.number);
  const structs = fields.flatMap(({ inline, member, wrapped }) => {
    if (inline !== undefined) return inline.structs;
    return member === undefined || wrapped || member.type.code !== Code.struct ? [] : [member];
  });
  return { name: shortName(type), fields, byNumber: new Map(fields.map((field) => [field.number, field])), structs };
}

function messageField(field: Field, owner: CompiledStruct): MessageField[] {
  const { number } = field;
  if (number === undefined) return [];
  const name = nameInGo(field);
  if (field.go?.inline === true && field.type.kind === 'struct')
    return [{ number, name, member: undefined, inline: layOut(field.type, owner), wrapped: false }];
  return [{ number, name, member: owner.byName.get(field.name), inline: undefined, wrapped: field.go?.wrapped === true }];
}

/** Go embeds metadata and inline structs, and names an embedded field by its type. */
function nameInGo({ name, type, go }: Field): string {
  return type.kind === 'struct' && (go?.inline === true || name === 'metadata') ? shortName(type) : goName(name);
}

function shortName(type: StructType): string {
  return type.name.slice(type.name.lastIndexOf('.') + 1);
}

/** @param code of a scalar, a struct, or the value of a map's entry */
export function wireType(code: number): number {
  if (code === Code.boolean || code === Code.int32 || code === Code.int64) return VARINT;
  return code === Code.double ? FIXED64 : DELIMITED;
}
