/** Finds and drops annotations that only old clients understood, as 1.32 does on each write. */
import type { StructType } from '../contract/descriptor.ts';
import { EACH, visitFields } from './gated-fields.ts';
import { isObject, type JsonObject } from './json/member.ts';

export interface DroppedAnnotations {
  /** path to the metadata; `*` stands for every element of a list or value of a map */
  readonly path: readonly string[];
  readonly keys: readonly string[];
}

/** @param text resolves identity placeholders */
export function droppedAnnotations(type: StructType, text: (template: string) => string): readonly DroppedAnnotations[] {
  const found: DroppedAnnotations[] = [];
  visitFields(type, ({ droppedAnnotations: keys }, path) => {
    if (keys !== undefined) found.push({ path, keys: keys.map(text) });
    return true;
  });
  return found;
}

/** @param object its members are replaced if they change; nothing within them is changed, because they may be shared */
export function dropAnnotations(dropped: readonly DroppedAnnotations[], object: JsonObject): void {
  for (const { path, keys } of dropped) {
    const [name, ...below] = path as [string, ...string[]];
    const member = object[name];
    const left = without(member, below, keys);
    if (left !== member) object[name] = left;
  }
}

/** @returns the value itself if nothing is dropped from it */
function without(value: unknown, [name, ...below]: readonly string[], keys: readonly string[]): unknown {
  if (name === undefined) return metadataWithout(value, keys);
  if (name === EACH && Array.isArray(value)) {
    const left = value.map((element) => without(element, below, keys));
    return left.some((element, index) => element !== value[index]) ? left : value;
  }
  if (!isObject(value)) return value;
  let copy: JsonObject | undefined;
  for (const member of name === EACH ? Object.keys(value) : [name]) {
    const left = without(value[member], below, keys);
    if (left === value[member]) continue;
    copy ??= { ...value };
    copy[member] = left;
  }
  return copy ?? value;
}

function metadataWithout(metadata: unknown, keys: readonly string[]): unknown {
  if (!isObject(metadata) || !isObject(metadata.annotations)) return metadata;
  if (!keys.some((key) => Object.hasOwn(metadata.annotations as JsonObject, key))) return metadata;
  const { annotations, ...others } = metadata;
  const kept = Object.entries(annotations as JsonObject).filter(([key]) => !keys.includes(key));
  return kept.length === 0 ? others : { ...metadata, annotations: Object.fromEntries(kept) };
}
