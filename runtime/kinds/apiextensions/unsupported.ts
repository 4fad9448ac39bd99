import type { JSONSchemaProps } from '../../../generated/apiextensions/v1/types.ts';

/** Keywords that keep a schema from being read as a structural one at all. Where they are empty, they do not count. */
const UNSUPPORTED = ['id', '$schema', '$ref', 'patternProperties', 'dependencies', 'additionalItems', 'definitions'] as const;

/** @returns the sentence about the first such keyword at any level; undefined: there is none */
export function unsupportedKeyword(schema: JSONSchemaProps): string | undefined {
  for (const keyword of UNSUPPORTED)
    if (isGiven(schema, keyword)) return `OpenAPIV3Schema '${keyword === '$schema' ? 'schema' : keyword}' is not supported`;
  const { items, not, additionalProperties: additional, properties, allOf, anyOf, oneOf } = schema;
  const inParts = inOne(not) ?? inEach(allOf) ?? inEach(anyOf) ?? inEach(oneOf);
  if (inParts !== undefined) return inParts;
  if (schema['x-kubernetes-preserve-unknown-fields'] === false)
    return "internal error: 'x-kubernetes-preserve-unknown-fields' must be true or undefined";
  if (Array.isArray(items) && items.length > 0) return "OpenAPIV3Schema 'items' must be a schema, but is an array";
  return (
    (Array.isArray(items) ? undefined : inOne(items)) ??
    (properties === undefined ? undefined : inEach(Object.values(properties))) ??
    (typeof additional === 'object' ? inOne(additional) : undefined)
  );
}

function isGiven(schema: JSONSchemaProps, keyword: (typeof UNSUPPORTED)[number]): boolean {
  const { [keyword]: value } = schema;
  if (typeof value === 'object') return keyword === 'additionalItems' || Object.keys(value).length > 0;
  return value !== undefined && value !== '';
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
