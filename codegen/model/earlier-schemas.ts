/** Puts together what a property was in earlier releases: its schema of today, changed by what `x-cluster-before` states. */
import type { JsonObject, SchemaOrReference } from '../read/sources.ts';
import type { Ended } from './lifespan.ts';

/** Keywords that belong to a type. If an earlier form states another type, none of today's are left. */
const OF_TYPE = [
  'type',
  'format',
  'enum',
  'items',
  'additionalProperties',
  '$ref',
  'allOf',
  'x-cluster-constants',
  'x-cluster-enum-since',
  'x-cluster-enum-until',
  'x-cluster-open',
  'x-cluster-type-name',
];

/**
 * @param marks the marks of `schema`, without those of a wrong form
 * @returns the earlier forms, oldest first. A member that is null in `x-cluster-before` is absent from the form
 */
export function earlierSchemas(schema: SchemaOrReference, marks: JsonObject): (Ended & { schema: SchemaOrReference })[] {
  const before = (marks['x-cluster-before'] ?? []) as readonly (Ended & JsonObject)[];
  return before.map(({ until, ...changed }) => {
    const ofAnotherType = ['type', '$ref', 'allOf'].some((keyword) => Object.hasOwn(changed, keyword));
    const left = ['x-cluster-before', ...(ofAnotherType ? OF_TYPE : [])];
    const kept = Object.entries(schema).filter(([keyword]) => !left.includes(keyword));
    const members = Object.entries(Object.assign(Object.fromEntries(kept), changed));
    return { until, schema: Object.fromEntries(members.filter(([, value]) => value !== null)) as SchemaOrReference };
  });
}
