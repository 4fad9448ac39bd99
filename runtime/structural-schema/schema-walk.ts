import { isObject } from '../schema/member.ts';

/** What stands under these keywords is a schema or a list of them; some are keywords that no definition may have. */
const OF_SCHEMAS = ['items', 'not', 'additionalProperties', 'additionalItems', 'allOf', 'anyOf', 'oneOf'];
/** Under these, schemas by their names. */
const OF_NAMED_SCHEMAS = ['properties', 'patternProperties', 'definitions', 'dependencies'];

/** Whether something holds of a schema, or of one anywhere in it. */
export function someSchema<Schema extends object>(schema: Schema, holds: (schema: Schema) => boolean): boolean {
  const members = schema as Readonly<Record<string, unknown>>;
  const some = (value: unknown): boolean => isObject(value) && someSchema(value as Schema, holds);
  return (
    holds(schema) ||
    OF_SCHEMAS.some((keyword) => [members[keyword]].flat().some(some)) ||
    OF_NAMED_SCHEMAS.some((keyword) => Object.values(members[keyword] ?? {}).some(some))
  );
}
