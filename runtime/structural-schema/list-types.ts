/** Checks that the elements of sets, and the keys of lists of type map, are unique. */

import { duplicate, type FieldError, invalid } from '../contract/field-error.ts';
import { writeSorted } from '../contract/json-writer.ts';
import { isObject, type JsonObject } from '../schema/json/member.ts';
import type { CustomSchema } from './custom-schema.ts';
import { SchemaSearch } from './schema-search.ts';
import { shown } from './shown-value.ts';

const lists = new SchemaSearch({
  isMeant: ({ 'x-kubernetes-list-type': listType }) => listType === 'set' || listType === 'map',
  look: (schema, value, path, found) => {
    if (Array.isArray(value)) findTwice(schema, value, path, found);
  },
});

/** @returns errors with paths relative to the value */
export const listFindings = (schema: CustomSchema, value: unknown): readonly FieldError[] => lists.findings(schema, value);

function findTwice(schema: CustomSchema, list: readonly unknown[], path: string, found: FieldError[]): void {
  const isSet = schema['x-kubernetes-list-type'] === 'set';
  const keys = schema['x-kubernetes-list-map-keys'] ?? [];
  const alien = isSet ? -1 : list.findIndex((item) => item !== null && !isObject(item));
  if (alien >= 0) {
    found.push(invalid(`${path}[${alien}]`, shown(list[alien]), 'must be an object for an array of list-type map'));
    return;
  }
  const [seen, told] = [new Set<string>(), new Set<string>()];
  for (const [index, item] of list.entries()) {
    // null is an element without keys
    const identity = isSet ? item : keysOf(item, keys);
    const text = typeof identity === 'string' ? JSON.stringify(identity) : writeSorted(identity);
    if (seen.has(text) && !told.has(text)) {
      told.add(text);
      found.push(duplicate(`${path}[${index}]`, shown(identity)));
    }
    seen.add(text);
  }
}

/** The members that identify an element of a list of type map, sorted by name. */
export function keysOf(item: unknown, keys: readonly string[]): JsonObject {
  const all = isObject(item) ? item : {};
  return Object.fromEntries(
    keys
      .filter((key) => all[key] !== undefined)
      .toSorted()
      .map((key) => [key, all[key]]),
  );
}
