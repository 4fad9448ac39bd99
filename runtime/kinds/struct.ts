import type { ApiObject } from '../contract/object.ts';

/**
 * A part of an API object whose shape the schema states, such as a container of a pod. Rules know it only through the schema:
 * it has been decoded by then, so that members have the right types and absent members are undefined.
 */
export type Struct = ApiObject[string];
