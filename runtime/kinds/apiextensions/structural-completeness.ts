/** Whatever the parts of the junctors of a whole schema speak of must stand in the schema itself too. 1.32 does not ask it of the schemas below. */
import type { JSONSchemaProps } from '../../../generated/apiextensions/v1/types.ts';
import { type FieldError, required } from '../../contract/field-error.ts';
import { joined, NONE } from '../../validation/joined.ts';
import { eachEntry, eachItem } from '../findings.ts';

/** Lists of schemas, as `items` may have, are refused elsewhere. */
type Given = JSONSchemaProps | readonly JSONSchemaProps[] | undefined;

/** @param above what stands before the path where findings name other places */
export function validateCompleteness(schema: JSONSchemaProps, path: string, above: string): readonly FieldError[] {
  return partsOf(schema, schema, path, `${above}${path}`);
}

/** @param at where the constraints stand, which `schema` at `path` must know */
function partsOf(values: JSONSchemaProps, schema: JSONSchemaProps, path: string, at: string): readonly FieldError[] {
  const each = (list: readonly JSONSchemaProps[] | undefined, keyword: string) =>
    eachItem(list, `${at}.${keyword}`, (part, partAt) => known(part, schema, path, partAt));
  return joined(
    known(values.not, schema, path, `${at}.not`),
    each(values.allOf, 'allOf'),
    each(values.anyOf, 'anyOf'),
    each(values.oneOf, 'oneOf'),
  );
}

function known(given: Given, schema: Given, path: string, at: string): readonly FieldError[] {
  const part = single(given);
  if (part === undefined) return NONE;
  if (schema === undefined) return [required(path, `because it is defined in ${at}`)];
  const whole = single(schema) ?? {};
  return joined(
    partsOf(part, whole, path, at),
    known(part.items, whole.items, `${path}.items`, `${at}.items`),
    eachEntry(part.properties, `${at}.properties`, (name, member, memberAt) =>
      known(member, whole.properties?.[name], `${path}.properties[${name}]`, memberAt),
    ),
  );
}

function single(given: Given): JSONSchemaProps | undefined {
  return given === undefined || isList(given) ? undefined : given;
}

function isList(given: JSONSchemaProps | readonly JSONSchemaProps[]): given is readonly JSONSchemaProps[] {
  return Array.isArray(given);
}
