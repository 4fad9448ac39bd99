/** What a property was before, put together from its schema of today and what `x-cluster-before` says was otherwise. */
import type { JsonObject, SchemaOrReference } from '../read/sources.ts';
import type { Ended } from './lifespan.ts';

/** Of another type nothing of today's type is left. */
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
 * @param marks of `schema`, those of a wrong form left out
 * @returns oldest first; a member that is null in `x-cluster-before` is absent
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
