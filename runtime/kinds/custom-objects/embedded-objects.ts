/** Objects of an API within objects: each says what it is, and has metadata as all objects have. */
import { type FieldError, invalid, MOST_FINDINGS, required } from '../../contract/field-error.ts';
import type { ObjectMeta } from '../../contract/object.ts';
import { dns1035Label } from '../../formats/names.ts';
import { isObject, type JsonObject } from '../../schema/member.ts';
import { validateObjectMeta } from '../metadata/object-meta.ts';
import type { CustomSchema } from './custom-schema.ts';

const NONE: readonly FieldError[] = [];
const EMPTY = 'must not be empty';

/** @returns findings with paths that begin at the value */
export function embeddedFindings(schema: CustomSchema, value: unknown): readonly FieldError[] {
  if (!hasEmbedded(schema)) return NONE;
  const found: FieldError[] = [];
  walk(schema, value, '', found);
  return found;
}

const embedding = new WeakMap<CustomSchema, boolean>();

/** Whether the schema, or one below it, is of objects of an API. */
function hasEmbedded(schema: CustomSchema): boolean {
  const known = embedding.get(schema);
  if (known !== undefined) return known;
  const { properties = {}, additionalProperties: others, items } = schema;
  const below = [...Object.values(properties), ...(typeof others === 'object' ? [others] : []), ...(items === undefined ? [] : [items])];
  const has = schema['x-kubernetes-embedded-resource'] === true || below.some(hasEmbedded);
  embedding.set(schema, has);
  return has;
}

function walk(schema: CustomSchema, value: unknown, path: string, found: FieldError[]): void {
  if (!hasEmbedded(schema) || found.length > MOST_FINDINGS) return;
  if (Array.isArray(value)) {
    const { items } = schema;
    if (items !== undefined) for (const [index, item] of value.entries()) walk(items, item, `${path}[${index}]`, found);
  } else if (isObject(value)) {
    if (schema['x-kubernetes-embedded-resource'] === true) found.push(...objectFindings(value, path));
    const { properties = {}, additionalProperties: others } = schema;
    for (const name of Object.keys(value)) {
      const isDeclared = Object.hasOwn(properties, name);
      const member = isDeclared ? properties[name] : typeof others === 'object' ? others : undefined;
      const at = isDeclared ? (path === '' ? name : `${path}.${name}`) : `${path}[${name}]`;
      if (member !== undefined) walk(member, value[name], at, found);
    }
  }
}

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
