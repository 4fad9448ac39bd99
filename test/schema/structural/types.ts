/** Structural types for tests, made of schemas as definitions have them. */
import { ObjectMeta } from '../../../generated/meta/v1/descriptors.ts';
import { type CompiledStruct, compileType, type StructuralSchema, structuralType } from '../../../runtime/schema/codec/codec.ts';
import { identity } from '../types.ts';

export const KEEPS = { 'x-kubernetes-preserve-unknown-fields': true } as const;
export const EMBEDDED = { 'x-kubernetes-embedded-resource': true } as const;
export const INT_OR_STRING: StructuralSchema = { 'x-kubernetes-int-or-string': true };
export const TEXT: StructuralSchema = { type: 'string' };
export const INTEGER: StructuralSchema = { type: 'integer' };

export const object = (properties: Record<string, StructuralSchema>, more: StructuralSchema = {}): StructuralSchema => ({
  type: 'object',
  properties,
  ...more,
});
export const map = (values: StructuralSchema | boolean, more: StructuralSchema = {}): StructuralSchema => ({
  type: 'object',
  additionalProperties: values,
  ...more,
});
export const list = (items: StructuralSchema, more: StructuralSchema = {}): StructuralSchema => ({ type: 'array', items, ...more });
export const set = (items: StructuralSchema, more: StructuralSchema = {}): StructuralSchema =>
  list(items, { 'x-kubernetes-list-type': 'set', ...more });
export const keyed = (items: StructuralSchema, keys: readonly string[]): StructuralSchema =>
  list(items, { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': keys });

/** A kind with this schema. */
export function kindOf(schema: StructuralSchema | undefined): CompiledStruct {
  return compileType(structuralType('com.example.v1.Widget', schema, ObjectMeta), identity);
}

/** A kind whose spec has this schema. */
export const kindOfSpec = (spec: StructuralSchema): CompiledStruct => kindOf(object({ spec }));
