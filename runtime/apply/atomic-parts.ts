/**
 * Finds the parts of an intent that have one owner as a whole. A merge that owns nothing may not touch them, because everything that the
 * intent omits in them would be lost.
 */
import { Code, type CompiledList, type CompiledStruct, type CompiledType } from '../schema/compile.ts';
import { isObject, type JsonObject } from '../schema/json/member.ts';
import { shapeOfType } from './go-shape.ts';
import { shapeOf } from './object-shape.ts';
import { memberElement, shownElement } from './path-element.ts';
import type { AnyShape, Shape, StructShape } from './shape.ts';

/**
 * Returns the atomic objects and lists in an intent of a type as paths such as `.spec.selector`, in the order of the intent. As in 1.32,
 * entries of maps and undeclared members are not searched.
 */
export function atomicParts(type: CompiledStruct, intent: object): string[] {
  const found: string[] = [];
  if (type.isGo) goMembers(type, intent as JsonObject, '', found);
  else members(shapeOf(type), intent as JsonObject, '', found);
  return found;
}

const pathOf = (path: string, name: string): string => `${path}${shownElement(memberElement(name))}`;

function goMembers(type: CompiledStruct, value: JsonObject, path: string, found: string[]): void {
  for (const name of Object.keys(value)) {
    const member = type.byName.get(name);
    if (member !== undefined) goPart(member.type, value[name], pathOf(path, name), found);
  }
}

/** Atomic parts are searched, too, so that every part is reported. */
function goPart(type: CompiledType, value: unknown, path: string, found: string[]): void {
  const isList = Array.isArray(value);
  if (!isList && !isObject(value)) return;
  if (shapeOfType(type).kind === 'atomic') found.push(path);
  if (isList && type.code === Code.list) goItems(type as CompiledList, value, path, found);
  if (!isList && type.code === Code.struct) goMembers(type as CompiledStruct, value, path, found);
}

function goItems({ element }: CompiledList, list: readonly unknown[], path: string, found: string[]): void {
  for (const [index, item] of list.entries()) goPart(element, item, `${path}[${index}]`, found);
}

/** Searches by the shapes of structural types, and not within atomic parts. */
function members(shape: StructShape, value: JsonObject, path: string, found: string[]): void {
  for (const name of Object.keys(value)) {
    const member = shape.byElement.get(memberElement(name));
    if (member !== undefined) part(member.shape, value[name], pathOf(path, name), found);
  }
}

function part(shape: Shape, value: unknown, path: string, found: string[]): void {
  const isList = Array.isArray(value);
  if (!isList && !isObject(value)) return;
  switch (shape.kind) {
    case 'atomic':
      found.push(path);
      return;
    case 'untyped':
      if (isList) found.push(path);
      return;
    case 'any':
      return part(formOfContainer(shape, isList), value, path, found);
    case 'keyed':
      if (isList) for (const [index, item] of value.entries()) part(shape.element, item, `${path}[${index}]`, found);
      return;
    case 'struct':
      if (!isList) members(shape, value, path, found);
  }
}

const formOfContainer = ({ object, list }: AnyShape, isList: boolean): Shape => (isList ? list : object);
