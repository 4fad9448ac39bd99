/** Checks whether all elements of lists with owners of their own can be identified: updates may store lists that applies refuse. */
import { isObject, type JsonObject } from '../schema/json/member.ts';
import { ElementError, elementOf } from './list-elements.ts';
import { formOf, type KeyedShape, type SetShape, type Shape, type StructShape } from './shape.ts';

/** @param object of the shape's type */
export function hasWellFormedLists(shape: StructShape, object: object): boolean {
  return areMembersFine(shape, object as JsonObject);
}

function areMembersFine(shape: StructShape, object: JsonObject): boolean {
  for (const name of Object.keys(object)) {
    const value = object[name];
    if (typeof value !== 'object' || value === null) continue;
    const member = shape.memberShape(name);
    if (member !== undefined && !isFine(member, value)) return false;
  }
  return true;
}

function isFine(shape: Shape, value: unknown): boolean {
  switch (shape.kind) {
    case 'struct':
      return !isObject(value) || areMembersFine(shape, value);
    case 'map':
      return !isObject(value) || Object.keys(value).every((name) => isFine(shape.value, value[name]));
    case 'any':
      return isFine(formOf(shape, value), value);
    case 'keyed':
      return !Array.isArray(value) || (areDistinct(shape, value) && value.every((each) => isFine(shape.element, each)));
    case 'set':
      return !Array.isArray(value) || areDistinct(shape, value);
    default:
      return true;
  }
}

function areDistinct(shape: KeyedShape | SetShape, list: readonly unknown[]): boolean {
  try {
    if (list.length > 1) return new Set(list.map((each) => elementOf(shape, each))).size === list.length;
    for (const each of list) elementOf(shape, each);
    return true;
  } catch (error) {
    if (error instanceof ElementError) return false;
    throw error;
  }
}
