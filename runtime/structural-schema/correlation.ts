/** Finds the former value at the place of a value, and whether the value is unchanged: an update gets no errors for what it leaves unchanged. */
import { deepEqual } from '../schema/equal.ts';
import { isObject } from '../schema/json/member.ts';
import type { CustomSchema } from './custom-schema.ts';
import { heldNumber } from './held-numbers.ts';

/** Finds the old element that has the keys of a new one. */
export type OldElement = (element: unknown) => unknown;

/** @returns undefined for a list whose elements have no keys */
export function oldElementOf(schema: CustomSchema, old: unknown): OldElement | undefined {
  const keys = schema['x-kubernetes-list-type'] === 'map' ? schema['x-kubernetes-list-map-keys'] : undefined;
  if (keys === undefined || !Array.isArray(old)) return undefined;
  const found = new Map<string, unknown>();
  for (const element of old) {
    const identity = identityOf(element, keys);
    if (identity !== undefined && !found.has(identity)) found.set(identity, element);
  }
  return (element) => {
    const identity = identityOf(element, keys);
    return identity === undefined ? undefined : found.get(identity);
  };
}

/** @returns undefined for an element that lacks a key, or has one that is no scalar */
function identityOf(element: unknown, keys: readonly string[]): string | undefined {
  if (!isObject(element)) return undefined;
  const values = keys.map((key) => element[key]);
  return values.every(isScalar) ? JSON.stringify(values) : undefined;
}

const isScalar = (value: unknown): boolean => typeof value === 'string' || typeof value === 'boolean' || heldNumber(value) !== undefined;

/** The schema of a member, undefined where the schema has none for it. */
function memberSchema({ properties, additionalProperties: others }: CustomSchema, name: string): CustomSchema | undefined {
  if (properties !== undefined && Object.hasOwn(properties, name)) return properties[name];
  return typeof others === 'object' ? others : undefined;
}

/**
 * Whether a value is unchanged, by its schema: elements with keys may have changed places. As in 1.32, members without a schema cannot be compared, so
 * that an object with such a member always counts as changed.
 */
export function isUnchanged(schema: CustomSchema, value: unknown, old: unknown): boolean {
  if (Array.isArray(value)) return Array.isArray(old) && isSameList(schema, value, old);
  if (!isObject(value)) return deepEqual(value, old);
  if (!isObject(old)) return false;
  const names = Object.keys(value);
  if (names.length !== Object.keys(old).length) return false;
  return names.every((name) => {
    const member = Object.hasOwn(old, name) ? memberSchema(schema, name) : undefined;
    return member !== undefined && isUnchanged(member, value[name], old[name]);
  });
}

function isSameList(schema: CustomSchema, list: readonly unknown[], old: readonly unknown[]): boolean {
  if (list.length !== old.length) return false;
  const oldOf = oldElementOf(schema, old);
  if (oldOf === undefined) return deepEqual(list, old);
  const { items } = schema;
  return list.every((element) => {
    const before = oldOf(element);
    return items !== undefined && before !== undefined && isUnchanged(items, element, before);
  });
}
