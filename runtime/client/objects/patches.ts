/** Forms of patches. Each has its own media type, which the method that sends it sets. */

/** RFC 7386: a value replaces the former one, null removes it, and a list replaces the whole list. */
export type MergePatch<T> = T extends readonly unknown[]
  ? T
  : T extends object
    ? { readonly [K in keyof T]?: MergePatch<NonNullable<T[K]>> | null }
    : T;

/** Like a merge patch, but lists are merged by the keys of the schema, and may contain directives. */
export type StrategicMergePatch<T> = T extends readonly (infer E)[]
  ? readonly StrategicMergePatch<E>[]
  : T extends object
    ? { readonly [K in keyof T]?: StrategicMergePatch<NonNullable<T[K]>> | null } & StrategicDirectives
    : T;

export interface StrategicDirectives {
  /** applies to the object around it: `replace` replaces that object as a whole, `delete` removes it */
  readonly $patch?: 'merge' | 'replace' | 'delete';
  /** members of the object that are kept; all others are removed */
  readonly $retainKeys?: readonly string[];
  /** order of a list's elements, by their keys */
  readonly [order: `$setElementOrder/${string}`]: readonly unknown[];
  /** values that are removed from a list of texts or numbers */
  readonly [values: `$deleteFromPrimitiveList/${string}`]: readonly (string | number)[];
}

/** RFC 6902. Paths are JSON pointers, such as `/metadata/labels/app`; `-` behind a list's path appends. */
export type JsonPatchOperation =
  | { readonly op: 'add' | 'replace' | 'test'; readonly path: string; readonly value: unknown }
  | { readonly op: 'remove'; readonly path: string }
  | { readonly op: 'move' | 'copy'; readonly from: string; readonly path: string };

/** A list in an applied object whose elements are told apart by the keys `K`: each owner applies elements of its own. */
export type ListMap<T, K extends keyof T> = (T & Required<Pick<T, K>>)[];

/** Text of a JSON pointer (RFC 6901) to a member, such as `jsonPointer('metadata', 'labels', 'example.com/role')`. */
export function jsonPointer(...members: readonly (string | number)[]): string {
  return members.map((member) => `/${String(member).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}
