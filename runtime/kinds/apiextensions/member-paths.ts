/** Paths to members of objects of a schema, such as `.spec.size` and `.labels['a.b']`. */
import type { Struct } from '../struct.ts';

/** A whole path, and one step of it. */
const PATH = /^(?:\.[^.[\]]+|\['(?:[^'\\]|\\.)*'\])+$/;
const STEP = /\.([^.[\]]+)|\['((?:[^'\\]|\\.)*)'\]/g;

/** The schema of the member; a key of a map has that of its values. @returns undefined for a path that is none, or leads to nothing */
export function memberAtPath(schema: Struct, path: string): Struct | undefined {
  if (!PATH.test(path)) return undefined;
  let at: Struct | undefined = schema;
  for (const [, name, quoted = ''] of path.matchAll(STEP)) at = memberOf(at, name ?? quoted.replace(/\\(.)/g, '$1'));
  return at;
}

function memberOf(schema: Struct | undefined, name: string): Struct | undefined {
  const member = schema?.properties?.[name];
  if (member !== undefined) return member;
  const additional = schema?.additionalProperties;
  return typeof additional === 'object' ? additional : undefined;
}
