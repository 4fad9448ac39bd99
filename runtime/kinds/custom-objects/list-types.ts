/** Elements of sets and of lists of type map are there once, wherever a schema has such lists. */
import { duplicate, type FieldError, MOST_FINDINGS } from '../../contract/field-error.ts';
import { isObject, type JsonObject } from '../../schema/member.ts';
import type { CustomSchema } from './custom-schema.ts';
import { shown } from './shown-value.ts';

/** @returns findings with paths that begin at the value */
export function listFindings(schema: CustomSchema, value: unknown): readonly FieldError[] {
  if (!hasDistinct(schema)) return NONE;
  const found: FieldError[] = [];
  walk(schema, value, '', found);
  return found;
}

const NONE: readonly FieldError[] = [];
const distinct = new WeakMap<CustomSchema, boolean>();

/** Whether the schema, or one below it, tells elements apart. */
function hasDistinct(schema: CustomSchema): boolean {
  const known = distinct.get(schema);
  if (known !== undefined) return known;
  const { properties = {}, additionalProperties: others, items } = schema;
  const listType = schema['x-kubernetes-list-type'];
  const below = [...Object.values(properties), ...(typeof others === 'object' ? [others] : []), ...(items === undefined ? [] : [items])];
  const has = listType === 'set' || listType === 'map' || below.some(hasDistinct);
  distinct.set(schema, has);
  return has;
}

function walk(schema: CustomSchema, value: unknown, path: string, found: FieldError[]): void {
  if (!hasDistinct(schema) || found.length > MOST_FINDINGS) return;
  if (Array.isArray(value)) {
    findTwice(schema, value, path, found);
    if (schema.items !== undefined) for (const [index, item] of value.entries()) walk(schema.items, item, `${path}[${index}]`, found);
  } else if (isObject(value)) {
    const { properties = {}, additionalProperties: others } = schema;
    for (const name of Object.keys(value)) {
      const isDeclared = Object.hasOwn(properties, name);
      const member = isDeclared ? properties[name] : typeof others === 'object' ? others : undefined;
      const at = isDeclared ? (path === '' ? name : `${path}.${name}`) : `${path}[${name}]`;
      if (member !== undefined) walk(member, value[name], at, found);
    }
  }
}

function findTwice(schema: CustomSchema, list: readonly unknown[], path: string, found: FieldError[]): void {
  const listType = schema['x-kubernetes-list-type'];
  if (listType !== 'set' && listType !== 'map') return;
  const keys = schema['x-kubernetes-list-map-keys'] ?? [];
  const [seen, told] = [new Set<string>(), new Set<string>()];
  for (const [index, item] of list.entries()) {
    const identity = listType === 'set' ? item : keysOf(item, keys);
    const text = JSON.stringify(identity);
    if (seen.has(text) && !told.has(text)) {
      told.add(text);
      found.push(duplicate(`${path}[${index}]`, shown(identity)));
    }
    seen.add(text);
  }
}

/** The members that tell an element of a list of type map from the others, in the order of their names. */
export function keysOf(item: unknown, keys: readonly string[]): JsonObject {
  const all = isObject(item) ? item : {};
  return Object.fromEntries(
    keys
      .filter((key) => all[key] !== undefined)
      .toSorted()
      .map((key) => [key, all[key]]),
  );
}
