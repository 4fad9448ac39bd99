/**
 * Handles members behind feature gates that are off. As in 1.32, they are dropped from what is written, or set to a neutral value, unless
 * the stored object already uses them.
 */
import type { Field, GatedElement, StructType, Type } from '../contract/descriptor.ts';
import { isObject, type JsonObject } from './json/member.ts';

export interface GatedPath {
  /** names from the root to the gated member, which is the last; `*` stands for every element of a list or value of a map */
  readonly names: readonly string[];
  /** value that replaces the member's; undefined: the member is dropped */
  readonly becomes?: unknown;
  /** with the member, the element of the list is dropped in which it stands */
  readonly element?: GatedElement | undefined;
}

/** Stands in a path for every element of a list or value of a map. */
export const EACH = '*';

/** A member on the way to gated ones, by its name or `*`. */
interface Step {
  readonly name: string;
  /** empty: this member is gated */
  readonly below: Step[];
}

/** The gated members of a type. */
export interface GatedFields {
  readonly paths: readonly GatedPath[];
  /** the same paths as a tree */
  readonly steps: readonly Step[];
}

export function gatedFields(type: StructType, enabled: (gate: string) => boolean): GatedFields {
  const paths = gatedPaths(type, enabled);
  const steps: Step[] = [];
  for (const { names } of paths) {
    let at = steps;
    for (const name of names) {
      const step = at.find((each) => each.name === name) ?? { name, below: [] };
      if (!at.includes(step)) at.push(step);
      at = step.below;
    }
  }
  return { paths, steps };
}

function gatedPaths(type: StructType, enabled: (gate: string) => boolean): GatedPath[] {
  const found: GatedPath[] = [];
  visitFields(type, ({ featureGate, whileGated, gatedElement: element, ungated }, names) => {
    if (featureGate === undefined || enabled(featureGate)) return ungated !== true;
    found.push({ names, becomes: whileGated, element });
    return false;
  });
  return found;
}

/**
 * Visits the fields of a type and of the types within it. A recursive type is entered only once on each path.
 * @param tell gets a field and its path, which has the form of `GatedPath`; it returns whether the fields within are visited too
 */
export function visitFields(type: StructType, tell: (field: Field, path: readonly string[]) => boolean): void {
  const open = new Set<StructType>();
  const visit = (struct: StructType, path: readonly string[]): void => {
    if (open.has(struct)) return;
    open.add(struct);
    for (const field of struct.fields) {
      const at = field.go?.inline === true ? path : [...path, field.name];
      if (tell(field, at)) visitType(field.type, at);
    }
    open.delete(struct);
  };
  const visitType = (fieldType: Type, path: readonly string[]): void => {
    if (fieldType.kind === 'struct') visit(fieldType, path);
    else if (fieldType.kind === 'list') visitType(fieldType.element, [...path, EACH]);
    else if (fieldType.kind === 'map') visitType(fieldType.value, [...path, EACH]);
  };
  visit(type, []);
}

/** @param object is changed @param old the stored object; undefined for a new one */
export function dropGatedFields({ paths, steps }: GatedFields, object: JsonObject, old: JsonObject | undefined): void {
  if (!leadSomewhere(steps, object)) return;
  for (const { names, becomes, element } of paths) {
    const found = holders(names, object);
    const name = names[names.length - 1] as string;
    if (found.length === 0 || (old !== undefined && holders(names, old).some((holder) => holder[name] !== becomes))) continue;
    if (element !== undefined) {
      for (const owner of holders(names.slice(0, -2), object)) dropElements(owner, names.slice(-3), found, element);
      continue;
    }
    for (const holder of found) {
      if (becomes === undefined) delete holder[name];
      else holder[name] = becomes;
    }
  }
}

/** @param list name of the list, the first @param gone elements of it, or of lists of other owners */
function dropElements(owner: JsonObject, [list]: readonly string[], gone: readonly JsonObject[], { namedIn }: GatedElement): void {
  const elementsOf = owner[list as string] as JsonObject[];
  const names = new Set(elementsOf.filter((each) => gone.includes(each)).map(({ name }) => name));
  if (names.size === 0) return;
  keepOf(owner, list as string, (each) => !gone.includes(each));
  for (const path of namedIn) {
    const steps = path.split('.');
    const name = steps[steps.length - 1] as string;
    for (const holder of holders(steps, owner)) keepOf(holder, name, (each) => !names.has(each.name));
  }
}

/** A list of which nothing is left goes. */
function keepOf(holder: JsonObject, list: string, isKept: (element: JsonObject) => boolean): void {
  const kept = elements(holder[list]).filter((each) => !isObject(each) || isKept(each));
  if (kept.length === 0) delete holder[list];
  else holder[list] = kept;
}

/** Whether a value has any gated member. Most have none, which is known after one look at each member on the way. */
function leadSomewhere(steps: readonly Step[], value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  for (let i = 0; i < steps.length; i++) {
    const { name, below } = steps[i] as Step;
    if (name === EACH) return leadSomewhereInEach(below, value);
    const inner = (value as JsonObject)[name];
    if (inner !== undefined && (below.length === 0 || leadSomewhere(below, inner))) return true;
  }
  return false;
}

function leadSomewhereInEach(steps: readonly Step[], value: object): boolean {
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) if (leadSomewhere(steps, value[i])) return true;
    return false;
  }
  for (const name in value) if (leadSomewhere(steps, (value as JsonObject)[name])) return true;
  return false;
}

const NONE: readonly JsonObject[] = [];

/** The objects that have the last member of the path. */
function holders(path: readonly string[], root: JsonObject): readonly JsonObject[] {
  let value: unknown = root;
  const end = path.length - 1;
  for (let depth = 0; depth < end; depth++) {
    const name = path[depth] as string;
    if (name === EACH) return elements(value).flatMap((element) => (isObject(element) ? holders(path.slice(depth + 1), element) : []));
    value = isObject(value) ? value[name] : undefined;
    if (value === undefined) return NONE;
  }
  return isObject(value) && value[path[end] as string] !== undefined ? [value] : NONE;
}

function elements(value: unknown): unknown[] {
  if (Array.isArray(value)) return value;
  return isObject(value) ? Object.values(value) : [];
}
