/**
 * Lifespans as schemas state them. A schema or a property has the marks `x-cluster-since` and `x-cluster-until`, an entry of a list the members `since` and
 * `until`.
 */
import type { Lifespan } from '../../runtime/contract/lifespan.ts';
import { isObject, type JsonObject } from '../read/sources.ts';

export { compareReleases, type Ended, earlierForm, isThere, type Lifespan, thereAt } from '../../runtime/contract/lifespan.ts';

/** @param marks the marks of a schema, a property or an inline struct */
export function readLifespan(marks: JsonObject): Lifespan {
  const { 'x-cluster-since': since, 'x-cluster-until': until } = marks as Record<string, string | undefined>;
  return { ...(since !== undefined && { since }), ...(until !== undefined && { until }) };
}

/** @returns every lifespan that stands in a list or an object, at any depth */
export function lifespansIn(value: unknown): Lifespan[] {
  if (Array.isArray(value)) return value.flatMap(lifespansIn);
  if (!isObject(value)) return [];
  const { since, until } = value as Lifespan;
  const own = since === undefined && until === undefined ? [] : [value as Lifespan];
  return [...own, ...Object.values(value).flatMap(lifespansIn)];
}
