/** Finds the fields that an object mentions. */
import { isObject, type JsonObject, sortedNames } from '../schema/json/member.ts';
import { EMPTY_SET, type FieldSet, isEmptySet, type MutableFieldSet, NOTHING_BELOW, SELF } from './field-set.ts';
import { sortedItems } from './list-elements.ts';
import { memberElement } from './path-element.ts';
import { formOf, type KeyedShape, type SetShape, type Shape, type StructShape } from './shape.ts';

/**
 * Returns the fields that an applier of this object owns: every scalar and atomic value, every key of a map and element of a list, and
 * every empty or null value. A member of a struct that has fields of its own is not one of them.
 * @throws ElementError
 */
export function fieldsOf(shape: StructShape, object: object): FieldSet {
  return below(shape, object) ?? EMPTY_SET;
}

/** The set below a path, with the membership of the value itself. undefined: it has no fields */
function below(shape: Shape, value: unknown): FieldSet | undefined {
  switch (shape.kind) {
    case 'struct':
      return structFields(shape, value);
    case 'map':
      return mapFields(shape.value, value);
    case 'set':
    case 'keyed':
      return listFields(shape, value);
    case 'any':
      return value === null ? NOTHING_BELOW : below(formOf(shape, value), value);
    case 'untyped':
      return isObject(value) ? mapFields(shape.member, value) : NOTHING_BELOW;
    default:
      return NOTHING_BELOW;
  }
}

function structFields(shape: StructShape, value: unknown): FieldSet | undefined {
  if (!isObject(value)) return undefined;
  const fields: MutableFieldSet = {};
  const { members } = shape.others === undefined ? shape : shape.sortOf(value);
  for (const { name, element, shape: member } of members) {
    const mentioned = shape.read(value, name);
    if (mentioned === undefined) continue;
    const set = isNothing(mentioned) ? NOTHING_BELOW : below(member, mentioned);
    if (shape.others !== undefined && !shape.byElement.has(element)) fields[element] = asMember(set);
    else if (set !== undefined) fields[element] = set;
  }
  return isEmptySet(fields) ? undefined : fields;
}

/** Whether a value is null, or an object without members. */
function isNothing(value: unknown): boolean {
  if (value === null) return true;
  if (!isObject(value)) return false;
  for (const _ in value) return false;
  return true;
}

function mapFields(shape: Shape, value: unknown): FieldSet | undefined {
  if (!isObject(value)) return undefined;
  const fields: MutableFieldSet = {};
  for (const name of sortedNames(Object.keys(value))) fields[memberElement(name)] = asMember(below(shape, (value as JsonObject)[name]));
  return isEmptySet(fields) ? undefined : fields;
}

function asMember(set: FieldSet | undefined): FieldSet {
  if (set === undefined || isEmptySet(set)) return NOTHING_BELOW;
  return set[SELF] !== undefined ? set : { [SELF]: NOTHING_BELOW, ...set };
}

function listFields(shape: KeyedShape | SetShape, value: unknown): FieldSet | undefined {
  if (!Array.isArray(value)) return undefined;
  const fields: MutableFieldSet = {};
  let last = '';
  for (const { element, value: item } of sortedItems(shape, value)) {
    fields[element] = shape.kind === 'set' || element === last ? NOTHING_BELOW : asMember(below(shape.element, item));
    last = element;
  }
  return isEmptySet(fields) ? undefined : fields;
}

/**
 * Adds every struct member that contains fields of the set: it is removed or kept together with them.
 * @returns `set` itself if it has all of them
 */
export function withStructMembers(shape: Shape | undefined, set: FieldSet): FieldSet {
  const full: MutableFieldSet = {};
  let changed = false;
  for (const element in set) {
    const own = set[element] as FieldSet;
    if (element === SELF || isEmptySet(own)) {
      full[element] = own;
      continue;
    }
    const holder = holderOf(shape, element);
    const named = holder?.kind === 'struct' ? holder.byElement.get(element) : undefined;
    const inner = withStructMembers(memberShape(holder, element), own);
    full[element] = named === undefined ? inner : asMember(inner);
    if (full[element] !== own) changed = true;
  }
  return changed ? full : set;
}

/** The form of a value of any type that can have such an element. */
function holderOf(shape: Shape | undefined, element: string): Shape | undefined {
  if (shape?.kind !== 'any') return shape;
  return element.startsWith('f:') ? shape.object : shape.list;
}

function memberShape(shape: Shape | undefined, element: string): Shape | undefined {
  const holder = holderOf(shape, element);
  switch (holder?.kind) {
    case 'struct':
      return holder.byElement.get(element)?.shape ?? (element.startsWith('f:') ? holder.others : undefined);
    case 'map':
      return element.startsWith('f:') ? holder.value : undefined;
    case 'keyed':
      return element.startsWith('k:') ? holder.element : undefined;
    default:
      return holder?.kind === 'untyped' ? holder.member : undefined;
  }
}

/**
 * Adapts a set to the current type: if a container has become atomic, fields within it become the container itself.
 * @returns `set` itself if nothing changes
 */
export function reconciled(shape: StructShape, set: FieldSet): FieldSet {
  if (checked.get(set) === shape.id) return set;
  const current = isOfType(shape, set) ? set : reconcile(shape, set);
  checked.set(current, shape.id);
  return current;
}

/** Sets with the type that they are known to fit. Most are checked again and again, and remembered for longer than a type is there. */
const checked = new WeakMap<FieldSet, symbol>();

/** Whether no field is within an atomic container. */
function isOfType(shape: Shape | undefined, set: FieldSet): boolean {
  if (shape?.kind === 'atomic') return isEmptySet(set);
  for (const element in set)
    if (element !== SELF && !isEmptySet(set[element] as FieldSet) && !isOfType(memberShape(shape, element), set[element] as FieldSet))
      return false;
  return true;
}

function reconcile(shape: Shape | undefined, set: FieldSet): FieldSet {
  const current: MutableFieldSet = {};
  for (const element in set) {
    const own = set[element] as FieldSet;
    const inner = memberShape(shape, element);
    if (element === SELF || isEmptySet(own)) current[element] = own;
    else current[element] = inner?.kind === 'atomic' ? NOTHING_BELOW : reconcile(inner, own);
  }
  return current;
}
