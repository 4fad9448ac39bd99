/**
 * The members that schemas of embedded objects require by their own statement. Version 3 adds kind and apiVersion to them. As in 1.32,
 * version 2 does not if such an object may have unknown members.
 */
import type { Schema } from './document.ts';

const stated = new WeakMap<Schema, readonly string[]>();

/** @param schema in the form of version 3 @param required members that its author requires */
export function withStated(schema: Schema, required: readonly string[]): Schema {
  stated.set(schema, required);
  return schema;
}

/** The members that a schema requires in version 2. @returns undefined if there are none */
export function statedRequired(schema: Schema): readonly string[] | undefined {
  const isOpen = schema['x-kubernetes-preserve-unknown-fields'] === true;
  const required = (isOpen ? stated.get(schema) : undefined) ?? schema.required;
  return Array.isArray(required) ? required : undefined;
}
