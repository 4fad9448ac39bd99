import type { JSONSchemaProps } from '../../../generated/apiextensions/v1/types.ts';

/** Keywords that keep a schema from being read as a structural one at all, with the names that 1.32 has for them. */
const UNSUPPORTED: readonly (readonly [keyword: keyof JSONSchemaProps, shown: string])[] = [
  ['id', 'id'],
  ['$schema', 'schema'],
  ['$ref', '$ref'],
  ['additionalItems', 'additionalItems'],
  ['patternProperties', 'patternProperties'],
  ['definitions', 'definitions'],
  ['dependencies', 'dependencies'],
];

/** @returns the sentence about the first such keyword at any level; undefined: there is none */
export function unsupportedKeyword(schema: JSONSchemaProps): string | undefined {
  for (const [keyword, shown] of UNSUPPORTED) if (schema[keyword] !== undefined) return `OpenAPIV3 '${shown}' is not supported`;
  if (schema['x-kubernetes-preserve-unknown-fields'] === false) return "'x-kubernetes-preserve-unknown-fields' must be true or undefined";
  if (Array.isArray(schema.items)) return "OpenAPIV3 'items' must be a schema, but is an array";
  const { items, not, additionalProperties: additional, properties, allOf, anyOf, oneOf } = schema;
  return (
    inOne(items) ??
    inOne(not) ??
    (typeof additional === 'object' ? inOne(additional) : undefined) ??
    (properties === undefined ? undefined : inEach(Object.values(properties))) ??
    inEach(allOf) ??
    inEach(anyOf) ??
    inEach(oneOf)
  );
}

const inOne = (schema: JSONSchemaProps | undefined): string | undefined => (schema === undefined ? undefined : unsupportedKeyword(schema));

function inEach(schemas: readonly JSONSchemaProps[] | undefined): string | undefined {
  if (schemas === undefined) return undefined;
  for (const schema of schemas) {
    const found = unsupportedKeyword(schema);
    if (found !== undefined) return found;
  }
  return undefined;
}
