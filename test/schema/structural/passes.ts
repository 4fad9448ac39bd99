/** Pruning, null and defaults as three walks over a copy, one after another: slow and plain, for holding the one walk of decoding against. */
import type { StructuralSchema } from '../../../runtime/schema/codec/codec.ts';
import { isObject, type JsonObject } from '../../../runtime/schema/json/member.ts';

/** Nothing is said of what has no schema. */
type Schema = StructuralSchema | undefined;

/** @param value nobody else has it; changed */
export function inPasses(value: unknown, schema: Schema, defaults: boolean): unknown {
  prune(value, schema, false);
  dropNulls(value, schema);
  if (defaults) setDefaults(value, schema);
  return value;
}

const keeps = (schema: Schema): boolean => schema?.['x-kubernetes-preserve-unknown-fields'] === true;
const itemsOf = (schema: Schema): Schema => schema?.items as Schema;

/** `additionalProperties: true` says that there are members, and nothing of them. */
function memberOf(schema: Schema, name: string): { readonly schema: Schema } | undefined {
  const { properties = {}, additionalProperties } = schema ?? {};
  if (Object.hasOwn(properties, name)) return { schema: properties[name] };
  if (additionalProperties === undefined) return undefined;
  return { schema: typeof additionalProperties === 'boolean' ? undefined : additionalProperties };
}

function prune(value: unknown, schema: Schema, around: boolean): void {
  const kept = around || keeps(schema);
  if (Array.isArray(value)) for (const item of value) prune(item, itemsOf(schema), kept);
  else if (isObject(value))
    for (const name of Object.keys(value)) {
      const member = memberOf(schema, name);
      if (member !== undefined) prune(value[name], member.schema, false);
      else if (!kept) delete value[name];
    }
}

const hasDefault = (schema: StructuralSchema): boolean => schema.default !== undefined && schema.default !== null;
const isNoValue = (value: unknown, schema: Schema): schema is StructuralSchema =>
  value === null && schema !== undefined && schema.nullable !== true;

function dropNulls(value: unknown, schema: Schema): void {
  if (Array.isArray(value)) for (const item of value) dropNulls(item, itemsOf(schema));
  else if (isObject(value))
    for (const name of Object.keys(value)) {
      const member = memberOf(schema, name)?.schema;
      if (isNoValue(value[name], member) && !hasDefault(member)) delete value[name];
      else dropNulls(value[name], member);
    }
}

function setDefaults(value: unknown, schema: Schema): void {
  if (Array.isArray(value))
    for (const [index, item] of value.entries()) {
      if (isNoValue(item, itemsOf(schema))) value[index] = defaultOf(itemsOf(schema) as StructuralSchema);
      setDefaults(value[index], itemsOf(schema));
    }
  else if (isObject(value)) setMemberDefaults(value, schema);
}

function setMemberDefaults(value: JsonObject, schema: Schema): void {
  for (const [name, member] of Object.entries(schema?.properties ?? {}))
    if (hasDefault(member) && (!Object.hasOwn(value, name) || isNoValue(value[name], member))) value[name] = defaultOf(member);
  for (const name of Object.keys(value)) {
    const member = memberOf(schema, name)?.schema;
    if (isNoValue(value[name], member)) value[name] = defaultOf(member);
    setDefaults(value[name], member);
  }
}

/** A definition has none but those that pruning leaves as they are. */
function defaultOf(schema: StructuralSchema): unknown {
  return inPasses(structuredClone(schema.default ?? null), schema, false);
}
