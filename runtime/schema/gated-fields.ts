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
  /** how many objects above the member are dropped too where nothing is left in them */
  readonly emptied: number;
  /** with the member, the element of the list is dropped in which it stands */
  readonly element?: GatedElement | undefined;
  /** the paths of members whose use in the stored object keeps this one */
  readonly keptBy: readonly (readonly string[])[];
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

/** A gated member before it is known what keeps it. */
interface FoundPath extends Omit<GatedPath, 'keptBy'> {
  /** members with the same word are kept together: the gate and the name of a member */
  readonly use: string;
}

function gatedPaths(type: StructType, enabled: (gate: string) => boolean): GatedPath[] {
  const found: FoundPath[] = [];
  visitFields(type, ({ name, featureGate, whileGated, ungated, gating = {} }, names) => {
    const { or, within, with: use = name, emptied = 0, element } = gating;
    const isOn = featureGate === undefined || enabled(featureGate) || (or !== undefined && enabled(or));
    if (isOn || (within !== undefined && !names.includes(within))) return ungated !== true;
    found.push({ names, becomes: whileGated, emptied, element, use: `${featureGate} ${use}` });
    return false;
  });
  return found.map(({ use, ...path }) => ({ ...path, keptBy: keepers(found.filter((each) => each.use === use)) }));
}

/** The status is used where the spec is: as in 1.32, what it says itself keeps nothing, unless the gate has nothing to do with the spec. */
function keepers(together: readonly FoundPath[]): readonly (readonly string[])[] {
  const paths = together.map(({ names }) => names);
  const asked = paths.filter(([first]) => first !== 'status');
  return asked.length > 0 ? asked : paths;
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

/** Those of the members that an object does not use. */
export function unusedFields(gated: GatedFields, object: JsonObject): GatedFields {
  const { paths, steps } = gated;
  if (!leadSomewhere(steps, object)) return gated;
  return { steps, paths: paths.filter((path) => !isUsed(path.names, path, object)) };
}

const isUsed = (names: readonly string[], { becomes }: GatedPath, object: JsonObject): boolean =>
  holders(names, object).some((holder) => holder[names.at(-1) as string] !== becomes);

/** @param object is changed @param old the stored object; undefined for a new one */
export function dropGatedFields({ paths, steps }: GatedFields, object: JsonObject, old: JsonObject | undefined): void {
  if (!leadSomewhere(steps, object)) return;
  for (const path of paths) {
    const { names, keptBy, element } = path;
    if (old !== undefined && keptBy.some((of) => isUsed(of, path, old))) continue;
    if (element === undefined) dropAt(object, path, 0);
    else dropElements(object, names, element);
  }
}

/** @param depth index of the next name of the path @returns whether there was anything to drop */
function dropAt(value: unknown, path: GatedPath, depth: number): boolean {
  const { names, becomes, emptied } = path;
  const name = names[depth] as string;
  if (name === EACH) return elements(value).filter((element) => dropAt(element, path, depth + 1)).length > 0;
  if (!isObject(value) || value[name] === undefined) return false;
  const left = names.length - 1 - depth;
  if (left === 0) {
    if (becomes === undefined) delete value[name];
    else value[name] = becomes;
    return true;
  }
  const dropped = dropAt(value[name], path, depth + 1);
  if (dropped && left <= emptied && isEmpty(value[name])) delete value[name];
  return dropped;
}

const isEmpty = (value: unknown): boolean => isObject(value) && Object.values(value).every((member) => member === undefined);

/** @param names end in the name of a list, `*` and the member by which its elements go */
function dropElements(object: JsonObject, names: readonly string[], { namedIn }: GatedElement): void {
  const list = names.at(-3) as string;
  const goes = (element: JsonObject): boolean => element[names.at(-1) as string] !== undefined;
  for (const owner of holders(names.slice(0, -2), object)) {
    const gone = new Set(elements(owner[list]).flatMap((each) => (isObject(each) && goes(each) ? [each.name] : [])));
    if (gone.size === 0) continue;
    keepOf(owner, list, (each) => !goes(each));
    for (const path of namedIn) {
      const steps = path.split('.');
      for (const holder of holders(steps, owner)) keepOf(holder, steps.at(-1) as string, ({ name }) => !gone.has(name));
    }
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
