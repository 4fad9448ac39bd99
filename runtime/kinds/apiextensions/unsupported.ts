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
  for (const inner of innerSchemas(schema)) {
    const found = unsupportedKeyword(inner);
    if (found !== undefined) return found;
  }
  return undefined;
}

function innerSchemas(schema: JSONSchemaProps): JSONSchemaProps[] {
  const { items, not, additionalProperties, properties, allOf, anyOf, oneOf } = schema;
  return [
    ...[items ?? [], not ?? []].flat(),
    ...(typeof additionalProperties === 'object' ? [additionalProperties] : []),
    ...Object.values(properties ?? {}),
    ...[allOf ?? [], anyOf ?? [], oneOf ?? []].flat(),
  ];
}
