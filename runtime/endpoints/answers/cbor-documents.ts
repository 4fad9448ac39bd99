/** Objects, lists and events in CBOR, as 1.32 has them: their members are in an order of chance. There are no Tables of it. */
import type { ApiObject } from '../../contract/object.ts';
import type { Kind } from '../../registry/kinds/kind.ts';
import { ANY_ORDER, cborHead, encodeCbor, encodeCborDocument } from '../../schema/cbor/encode.ts';
import { SELF_DESCRIBED } from '../../schema/cbor/head.ts';
import type { CompiledStruct } from '../../schema/codec/codec.ts';
import { newNotAcceptablePlain } from '../../status/status.ts';
import type { EventType } from './watch-frame.ts';

/** A document that has no type of its own here: Status, documents of discovery. @throws StatusError NotAcceptable for what is nested too deep */
export const cborOf = (value: object): Buffer => shallow(() => encodeCborDocument(value, undefined, ANY_ORDER));

/** Encodes an object of a kind, or its metadata. @throws as of `cborOf` */
export const cborOfObject = (kind: Kind, object: ApiObject): Buffer =>
  shallow(() => encodeCborDocument(object, typeOf(kind, object), ANY_ORDER));

/** Encodes an item of a list, without kind and version if it is of a kind of Go. @throws as of `cborOf` */
export function cborOfItem(kind: Kind, item: object): Buffer {
  const { kind: name = kind.kind } = item as Partial<ApiObject>;
  return shallow(() => encodeCbor(item, name === kind.kind ? typeOf(kind, { kind: name }) : undefined, ANY_ORDER));
}

/** An event is a document that has another one in it. @throws as `cborOf` */
export function cborOfEvent(type: EventType, kind: Kind, object: ApiObject): Buffer {
  const members = { type: encodeCbor(type), object: cborOfObject(kind, object) };
  const written = ANY_ORDER(Object.keys(members)).flatMap((name) => [encodeCbor(name), members[name as keyof typeof members]]);
  return Buffer.concat([SELF_DESCRIBED, cborHead('map', 2), ...written]);
}

/** What stands before and behind the items of a list. @param list with one item, which is `item` */
export function cborAround(list: object, item: object, count: number): readonly [Buffer, Buffer] {
  const document = cborOf(list);
  // it is no text, so that nothing else in the list is like it
  const items = encodeCbor([item]);
  const start = document.lastIndexOf(items);
  return [Buffer.concat([document.subarray(0, start), cborHead('array', count)]), document.subarray(start + items.length)];
}

/** Returns the type by which values are encoded; undefined for kinds of definitions and for metadata, whose values need none. */
function typeOf({ compiled, kind }: Kind, object: Pick<ApiObject, 'kind'>): CompiledStruct | undefined {
  return compiled.isGo && object.kind === kind ? compiled : undefined;
}

function shallow<T>(encode: () => T): T {
  try {
    return encode();
  } catch (error) {
    if (error instanceof RangeError) throw newNotAcceptablePlain(['application/json']);
    throw error;
  }
}
