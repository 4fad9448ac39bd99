import { isObject } from '../schema/json/member.ts';

/** Keywords whose values are schemas or lists of schemas. Definitions may not have some of them. */
const OF_SCHEMAS = ['items', 'not', 'additionalProperties', 'additionalItems', 'allOf', 'anyOf', 'oneOf'];
/** Keywords whose values are schemas by name. */
const OF_NAMED_SCHEMAS = ['properties', 'patternProperties', 'definitions', 'dependencies'];

/** Whether a condition holds for a schema, or for any schema within. */
export function someSchema<Schema extends object>(schema: Schema, holds: (schema: Schema) => boolean): boolean {
  const members = schema as Readonly<Record<string, unknown>>;
  const some = (value: unknown): boolean => isObject(value) && someSchema(value as Schema, holds);
  return (
    holds(schema) ||
    OF_SCHEMAS.some((keyword) => [members[keyword]].flat().some(some)) ||
    OF_NAMED_SCHEMAS.some((keyword) => Object.values(members[keyword] ?? {}).some(some))
  );
}
