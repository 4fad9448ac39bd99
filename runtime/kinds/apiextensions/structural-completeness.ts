/** Whatever a junctor's part speaks of must stand in the schema itself too. */
import { type FieldError, required } from '../../contract/field-error.ts';
import { eachEntry, eachItem } from '../core/findings.ts';
import type { Struct } from '../struct.ts';

export function validateCompleteness(schema: Struct | undefined, path: string): FieldError[] {
  if (schema === undefined || Array.isArray(schema)) return [];
  const additional = schema.additionalProperties;
  return [
    ...partsOf(schema, schema, path, path),
    ...validateCompleteness(schema.items, `${path}.items`),
    ...eachEntry<Struct>(schema.properties, `${path}.properties`, (_, member, at) => validateCompleteness(member, at)),
    ...(typeof additional === 'object' ? validateCompleteness(additional, `${path}.additionalProperties`) : []),
  ];
}

/** Paths begin at the specification. @param at where the constraints stand, which `schema` at `path` must know */
function partsOf(values: Struct, schema: Struct, path: string, at: string): FieldError[] {
  const each = (list: readonly Struct[] | undefined, keyword: string) =>
    eachItem(list, `${at}.${keyword}`, (part, partAt) => known(part, schema, path, partAt));
  return [
    ...known(values.not, schema, path, `${at}.not`),
    ...each(values.allOf, 'allOf'),
    ...each(values.anyOf, 'anyOf'),
    ...each(values.oneOf, 'oneOf'),
  ];
}

function known(part: Struct | undefined, schema: Struct | undefined, path: string, at: string): FieldError[] {
  if (part === undefined || Array.isArray(part)) return [];
  if (schema === undefined) return [required(path, `because it is defined in spec${at}`)];
  return [
    ...partsOf(part, schema, path, at),
    ...known(part.items, schema.items, `${path}.items`, `${at}.items`),
    ...eachEntry<Struct>(part.properties, `${at}.properties`, (name, member, memberAt) =>
      known(member, schema.properties?.[name], `${path}.properties[${name}]`, memberAt),
    ),
  ];
}
