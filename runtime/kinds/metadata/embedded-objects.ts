/** Objects of an API within objects: each says what it is, and has metadata as all objects have. */
import { type FieldError, invalid, required } from '../../contract/field-error.ts';
import type { ObjectMeta } from '../../contract/object.ts';
import { dns1035Label } from '../../formats/names.ts';
import { isObject, type JsonObject } from '../../schema/json/member.ts';
import type { CustomSchema } from '../../structural-schema/custom-schema.ts';
import { SchemaSearch } from '../../structural-schema/schema-search.ts';
import { validateObjectMeta } from './object-meta.ts';

const NONE: readonly FieldError[] = [];
const EMPTY = 'must not be empty';

const objects = new SchemaSearch({
  isMeant: (schema) => schema['x-kubernetes-embedded-resource'] === true,
  look: (_schema, value, path, found) => {
    if (isObject(value)) found.push(...objectFindings(value, path));
  },
});

/** @returns findings with paths that begin at the value */
export const embeddedFindings = (schema: CustomSchema, value: unknown): readonly FieldError[] => objects.findings(schema, value);

function objectFindings(object: JsonObject, path: string): readonly FieldError[] {
  const { apiVersion, kind, metadata } = object;
  return [
    ...(apiVersion === undefined ? [required(`${path}.apiVersion`, EMPTY)] : []),
    ...(kind === undefined ? [required(`${path}.kind`, EMPTY)] : []),
    ...textFindings(apiVersion, `${path}.apiVersion`, (text) =>
      text.split('/').length > 2 ? [`unexpected GroupVersion string: ${text}`] : [],
    ),
    ...textFindings(kind, `${path}.kind`, (text) => {
      const wrong = dns1035Label(text.toLowerCase());
      return wrong.length === 0 ? [] : [`may have mixed case, but should otherwise match: ${wrong.join(',')}`];
    }),
    ...(isObject(metadata) ? metadataFindings(metadata as ObjectMeta, `${path}.metadata`) : []),
  ];
}

function textFindings(value: unknown, path: string, problems: (text: string) => readonly string[]): readonly FieldError[] {
  if (value === undefined) return NONE;
  if (typeof value !== 'string') return [invalid(path, value, 'must be a string')];
  return (value === '' ? [EMPTY] : problems(value)).map((detail) => invalid(path, value, detail));
}

function metadataFindings(metadata: ObjectMeta, path: string): readonly FieldError[] {
  const named = (metadata.name ?? '') === '' ? { ...metadata, name: 'name' } : metadata;
  const namespaced = (metadata.namespace ?? '') !== '';
  return validateObjectMeta(named, { namespaced, nameFormat: 'pathSegment', qualifiedFinalizers: false }, path);
}
