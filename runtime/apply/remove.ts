/** Removes fields from an object. */
import { isObject, type JsonObject, setMember } from '../schema/json/member.ts';
import { type FieldSet, isEmptySet, SELF } from './field-set.ts';
import { elementOf } from './list-elements.ts';
import { memberElement } from './path-element.ts';
import { formOf, type KeyedShape, type SetShape, type Shape, type StructShape } from './shape.ts';

/**
 * Removes the fields of a set with everything below them. A container that becomes empty becomes null.
 * @param object never changed; the result shares unchanged parts
 */
export function withoutFields<T extends object>(shape: StructShape, object: T, fields: FieldSet): T {
  return (isEmptySet(fields) ? object : withoutMembers(object as JsonObject, fields, (name) => shape.memberShape(name))) as T;
}

function without(shape: Shape | undefined, value: unknown, fields: FieldSet): unknown {
  switch (shape?.kind) {
    case 'struct':
      return isObject(value) ? withoutMembers(value, fields, (name) => shape.memberShape(name)) : null;
    case 'map':
      return isObject(value) ? withoutMembers(value, fields, () => shape.value) : null;
    case 'any':
      return without(formOf(shape, value), value, fields);
    case 'untyped':
      return isObject(value) ? withoutMembers(value, fields, () => shape.member) : value;
    case 'set':
    case 'keyed':
      return Array.isArray(value) ? withoutElements(shape, value, fields) : null;
    case 'atomic':
      return null;
    default:
      return value;
  }
}

function withoutMembers(object: JsonObject, fields: FieldSet, shapeOf: (name: string) => Shape | undefined): JsonObject | null {
  const left: JsonObject = {};
  let any = false;
  for (const name of Object.keys(object)) {
    const below = fields[memberElement(name)];
    if (below !== undefined && (isEmptySet(below) || below[SELF] !== undefined)) continue;
    setMember(left, name, below === undefined ? object[name] : without(shapeOf(name), object[name], below));
    any = true;
  }
  return any ? left : null;
}

function withoutElements(shape: KeyedShape | SetShape, list: readonly unknown[], fields: FieldSet): unknown[] | null {
  const left: unknown[] = [];
  for (const value of list) {
    const rest = withoutBelow(shape, value, fields[elementOf(shape, value)]);
    if (rest !== undefined && rest !== null) left.push(rest);
  }
  return left.length > 0 ? left : null;
}

/** @param below undefined if nothing of the element is removed @returns undefined if all of it is */
function withoutBelow(shape: KeyedShape | SetShape, value: unknown, below: FieldSet | undefined): unknown {
  if (below === undefined) return value;
  if (isEmptySet(below) || below[SELF] !== undefined) return undefined;
  return shape.kind === 'keyed' ? without(shape.element, value, below) : value;
}
