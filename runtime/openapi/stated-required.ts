/**
 * What schemas of whole objects within objects require by themselves. Version 3 requires the kind and the version besides; version 2 does not where such an object may have members
 * that nobody knows, as in 1.32.
 */
import type { Schema } from './document.ts';

const stated = new WeakMap<Schema, readonly string[]>();

/** @param schema as version 3 has it. @param required what its author says */
export function withStated(schema: Schema, required: readonly string[]): Schema {
  stated.set(schema, required);
  return schema;
}

/** What a schema requires in version 2. @returns undefined: nothing */
export function statedRequired(schema: Schema): readonly string[] | undefined {
  const isOpen = schema['x-kubernetes-preserve-unknown-fields'] === true;
  const required = (isOpen ? stated.get(schema) : undefined) ?? schema.required;
  return Array.isArray(required) ? required : undefined;
}
