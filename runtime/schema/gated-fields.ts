/** Members behind feature gates that are off: dropped from what is written, unless the stored object uses them already (as in 1.32). */
import type { StructType, Type } from '../contract/descriptor.ts';
import { isObject, type JsonObject } from './member.ts';

/** Names of members from the root on; `*` stands for every element of a list or value of a map. The last one is the gated member. */
export type GatedPath = readonly string[];

const EACH = '*';

/** The gated members of a type and of what it holds; a type that holds itself is followed once. */
export function gatedPaths(type: StructType, enabled: (gate: string) => boolean): GatedPath[] {
  const found: GatedPath[] = [];
  const open = new Set<StructType>();
  const visit = (struct: StructType, path: GatedPath): void => {
    if (open.has(struct)) return;
    open.add(struct);
    for (const { name, type: fieldType, inline, featureGate } of struct.fields) {
      const at = inline ? path : [...path, name];
      if (featureGate !== undefined && !enabled(featureGate)) found.push(at);
      else visitType(fieldType, at);
    }
    open.delete(struct);
  };
  const visitType = (fieldType: Type, path: GatedPath): void => {
    if (fieldType.kind === 'struct') visit(fieldType, path);
    else if (fieldType.kind === 'list') visitType(fieldType.element, [...path, EACH]);
    else if (fieldType.kind === 'map') visitType(fieldType.value, [...path, EACH]);
  };
  visit(type, []);
  return found;
}

/** @param object changed. @param old the stored object; undefined for a new one */
export function dropGatedFields(paths: readonly GatedPath[], object: JsonObject, old: JsonObject | undefined): void {
  for (const path of paths) {
    const found = holders(path, object);
    if (found.length === 0 || (old !== undefined && holders(path, old).length > 0)) continue;
    for (const holder of found) delete holder[path[path.length - 1] as string];
  }
}

const NONE: readonly JsonObject[] = [];

/** The objects that have the member at the path's end. Most objects have none, which costs a look at each member on the way. */
function holders(path: GatedPath, root: JsonObject): readonly JsonObject[] {
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
