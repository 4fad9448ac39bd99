/** Paths to members of objects of a schema, such as `.spec.size` and `.labels['a.b']`. */
import type { JSONSchemaProps } from '../../../generated/apiextensions/v1/types.ts';

/** A whole path, and one step of it. */
const PATH = /^(?:\.[^.[\]]+|\['(?:[^'\\]|\\.)*'\])+$/;
const STEP = /\.([^.[\]]+)|\['((?:[^'\\]|\\.)*)'\]/g;

/** The schema of the member; a key of a map has that of its values. @returns undefined for a path that is none, or leads to nothing */
export function memberAtPath(schema: JSONSchemaProps, path: string): JSONSchemaProps | undefined {
  if (!PATH.test(path)) return undefined;
  let at: JSONSchemaProps | undefined = schema;
  for (const [, name, quoted = ''] of path.matchAll(STEP)) at = memberOf(at, name ?? quoted.replace(/\\(.)/g, '$1'));
  return at;
}

function memberOf(schema: JSONSchemaProps | undefined, name: string): JSONSchemaProps | undefined {
  const member = schema?.properties?.[name];
  if (member !== undefined) return member;
  const additional = schema?.additionalProperties;
  return typeof additional === 'object' ? additional : undefined;
}
