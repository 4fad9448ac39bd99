/** What a property was before, put together from its schema of today and what `x-cluster-before` says was otherwise. */
import type { JsonObject, SchemaOrReference } from '../read/sources.ts';
import type { Ended } from './lifespan.ts';

/** Of another type nothing of today's type is left. */
const TYPE_KEYWORDS = ['type', 'format', 'enum', 'items', 'additionalProperties', '$ref', 'allOf'];
/** They say when the property is there, and hold for all of its forms. */
const LIFESPAN_MARKS = ['x-cluster-since', 'x-cluster-until', 'x-cluster-before'];

/**
 * @param marks of `schema`, those of a wrong form left out
 * @returns oldest first; a member that is null in `x-cluster-before` is absent
 */
export function earlierSchemas(schema: SchemaOrReference, marks: JsonObject): (Ended & { schema: SchemaOrReference })[] {
  const before = (marks['x-cluster-before'] ?? []) as readonly (Ended & JsonObject)[];
  return before.map(({ until, ...changed }) => {
    const ofAnotherType = ['type', '$ref', 'allOf'].some((keyword) => Object.hasOwn(changed, keyword));
    const left = [...LIFESPAN_MARKS, ...(ofAnotherType ? TYPE_KEYWORDS : [])];
    const kept = Object.entries(schema).filter(([keyword]) => !left.includes(keyword));
    const members = Object.entries(Object.assign(Object.fromEntries(kept), changed));
    return { until, schema: Object.fromEntries(members.filter(([, value]) => value !== null)) as SchemaOrReference };
  });
}
