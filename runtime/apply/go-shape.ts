/** The shapes of objects of Go types. */
import {
  Code,
  type CompiledList,
  type CompiledMap,
  type CompiledMember,
  type CompiledStruct,
  type CompiledType,
  zeroValue,
} from '../schema/compile.ts';
import { compareUtf8 } from '../schema/json/member.ts';
import { ATOMIC, type ListShape, MapShape, SCALAR, SET, type Shape, StructShape, UNTYPED } from './shape.ts';

const shapes = new WeakMap<CompiledStruct, StructShape>();

/** The shape of a struct; the same object for each call. */
export function goShapeOf(type: CompiledStruct): StructShape {
  let shape = shapes.get(type);
  if (shape === undefined) {
    const members = () => type.members.map((member) => ({ name: member.name, shape: shapeOfType(member.type) }));
    shape = new StructShape({ members, hasPlainNames: true });
    shapes.set(type, shape);
  }
  return shape;
}

/** A struct without members is published as an object of any content, which has one owner. */
function isWhole({ type }: CompiledStruct): boolean {
  return type.mapType === 'atomic' || type.fields.length === 0;
}

/** The shape of a type within a struct; except for maps, the same object for each call. */
export function shapeOfType(type: CompiledType): Shape {
  switch (type.code) {
    case Code.struct:
      return isWhole(type as CompiledStruct) ? ATOMIC : goShapeOf(type as CompiledStruct);
    case Code.map:
      return (type as CompiledMap).type.mapType === 'atomic' ? ATOMIC : new MapShape(shapeOfType((type as CompiledMap).value));
    case Code.list:
      return goListShape(type as CompiledList);
    case Code.json:
    case Code.structOrBoolean:
    case Code.structOrList:
    case Code.structOrNames:
      return ATOMIC;
    case Code.rawExtension:
      return ATOMIC;
    case Code.fieldsV1:
      return UNTYPED;
    default:
      return SCALAR;
  }
}

const lists = new WeakMap<CompiledList, ListShape>();

/** The shape of a list's type; the same object for each call. It does not depend on what is around the list. */
export function goListShape(type: CompiledList): ListShape {
  let shape = lists.get(type);
  if (shape === undefined) {
    shape = makeListShape(type);
    lists.set(type, shape);
  }
  return shape;
}

function makeListShape({ element, type: { listType, listMapKeys = [] } }: CompiledList): ListShape {
  if (listType === 'set' && element.code < Code.list) return SET;
  if (listType !== 'map' || element.code !== Code.struct) return ATOMIC;
  const keys = [...listMapKeys].sort(compareUtf8);
  const struct = element as CompiledStruct;
  return {
    kind: 'keyed',
    keys,
    defaults: keys.map((key) => defaultOf(struct.byName.get(key))),
    element: shapeOfType(struct),
  };
}

/** As in the published types, a key that is always written has the zero value as its default. */
function defaultOf(member: CompiledMember | undefined): unknown {
  if (member === undefined || member.pointer) return undefined;
  if (member.default !== undefined) return member.default;
  return member.field.go?.always === true || member.field.default !== undefined ? zeroValue(member.type.code) : undefined;
}
