import type { JSONSchemaProps } from '../../generated/apiextensions/v1/types.ts';

/** Whether something holds of a schema, or of one anywhere in it, in keywords that no definition may have too. */
export function someSchema(schema: JSONSchemaProps, holds: (schema: JSONSchemaProps) => boolean): boolean {
  if (holds(schema)) return true;
  const { items, allOf, anyOf, oneOf, not, properties, additionalProperties, patternProperties, additionalItems, definitions } = schema;
  const below = (list: readonly unknown[]): boolean => list.some((each) => isSchema(each) && someSchema(each, holds));
  const inMap = (map: object | undefined): boolean => map !== undefined && below(Object.values(map));
  return (
    below(Array.isArray(items) ? items : [items]) ||
    below(allOf ?? []) ||
    below(anyOf ?? []) ||
    below(oneOf ?? []) ||
    below([not, additionalProperties, additionalItems]) ||
    inMap(properties) ||
    inMap(patternProperties) ||
    inMap(definitions) ||
    inMap(schema.dependencies)
  );
}

const isSchema = (value: unknown): value is JSONSchemaProps => typeof value === 'object' && value !== null && !Array.isArray(value);
