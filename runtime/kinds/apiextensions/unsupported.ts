import type { Struct } from '../struct.ts';

/** Keywords that keep a schema from being read as a structural one at all, with the names that 1.32 has for them. */
const UNSUPPORTED: readonly (readonly [keyword: string, shown: string])[] = [
  ['id', 'id'],
  ['$schema', 'schema'],
  ['$ref', '$ref'],
  ['additionalItems', 'additionalItems'],
  ['patternProperties', 'patternProperties'],
  ['definitions', 'definitions'],
  ['dependencies', 'dependencies'],
];

/** @returns the sentence about the first such keyword at any level; undefined: there is none */
export function unsupportedKeyword(schema: Struct): string | undefined {
  for (const [keyword, shown] of UNSUPPORTED) if (schema[keyword] !== undefined) return `OpenAPIV3 '${shown}' is not supported`;
  if (schema['x-kubernetes-preserve-unknown-fields'] === false) return "'x-kubernetes-preserve-unknown-fields' must be true or undefined";
  if (Array.isArray(schema.items)) return "OpenAPIV3 'items' must be a schema, but is an array";
  for (const inner of innerSchemas(schema)) {
    const found = unsupportedKeyword(inner);
    if (found !== undefined) return found;
  }
  return undefined;
}

function innerSchemas(schema: Struct): Struct[] {
  const { items, not, additionalProperties, properties, allOf, anyOf, oneOf } = schema;
  const single = [items, not, typeof additionalProperties === 'object' ? additionalProperties : undefined];
  return [...single.filter(Boolean), ...Object.values(properties ?? {}), ...(allOf ?? []), ...(anyOf ?? []), ...(oneOf ?? [])];
}
