/** Keywords of a schema, level by level: which are supported, and which go together. */
import { type FieldError, forbidden, invalid, notSupported, required } from '../../contract/field-error.ts';
import { goStrings, invalidShown } from '../../go-text/values.ts';
import { eachEntry, eachItem } from '../core/findings.ts';
import type { Struct } from '../struct.ts';
import type { Strictness } from './strictness.ts';
import { validateRules } from './validation-rules.ts';

const TYPES = ['array', 'boolean', 'integer', 'number', 'object', 'string'];
const LIST_TYPES = ['atomic', 'set', 'map'];
const MAP_TYPES = ['atomic', 'granular'];
const SET_ITEMS = 'must be atomic as item of a list with x-kubernetes-list-type=set';

interface Place {
  readonly strictness: Strictness;
  /** why there may be no defaults here; undefined: there may */
  readonly noDefaults?: string;
  /** below the metadata of an object, the outer one or an embedded one */
  readonly insideMetadata?: boolean;
}

export function validateKeywords(schema: Struct, path: string, strictness: Strictness): readonly FieldError[] {
  return validateLevel(schema, path, { strictness }, true);
}

function validateLevel(schema: Struct | undefined, path: string, place: Place, isRoot = false): readonly FieldError[] {
  if (schema === undefined) return [];
  return [
    ...validateSupported(schema, path, place),
    ...(schema.uniqueItems === true
      ? [forbidden(`${path}.uniqueItems`, 'uniqueItems cannot be set to true since the runtime complexity becomes quadratic')]
      : []),
    ...validateAdditional(schema, path, place),
    ...validateMembers(schema, path, place, isRoot),
    ...validateInner(schema, path, place),
    ...(schema['x-kubernetes-preserve-unknown-fields'] === false
      ? [invalid(`${path}.x-kubernetes-preserve-unknown-fields`, false, 'must be true or undefined')]
      : []),
    ...validateMapType(schema, path),
    ...validateListType(schema, path, place),
    ...validateListMapKeys(schema, path),
    ...(place.strictness.mapKeys ? validateItemsAreKeys(schema, path) : []),
    ...validateRules(schema, path),
  ];
}

function validateSupported(schema: Struct, path: string, place: Place): readonly FieldError[] {
  const { type = '' } = schema;
  const errors: FieldError[] = [];
  const refuse = (present: boolean, keyword: string, detail = `${keyword} is not supported`) => {
    if (present) errors.push(forbidden(`${path}.${keyword}`, detail));
  };
  if (place.strictness.validTypes && type !== '' && !TYPES.includes(type)) errors.push(notSupported(`${path}.type`, type, TYPES));
  refuse(schema.default !== undefined && place.noDefaults !== undefined, 'default', `must not be set ${place.noDefaults}`);
  refuse(Boolean(schema.id), 'id');
  refuse(schema.additionalItems !== undefined, 'additionalItems');
  refuse(Object.keys(schema.patternProperties ?? {}).length > 0, 'patternProperties');
  refuse(Object.keys(schema.definitions ?? {}).length > 0, 'definitions');
  refuse(schema.dependencies !== undefined, 'dependencies');
  refuse(schema.$ref !== undefined, '$ref');
  refuse(type === 'null', 'type', 'type cannot be set to null, use nullable as an alternative');
  refuse(Array.isArray(schema.items) && schema.items.length > 0, 'items', 'items must be a schema object and not an array');
  refuse(
    place.insideMetadata === true && schema['x-kubernetes-embedded-resource'] === true,
    'x-kubernetes-embedded-resource',
    'must not be used inside of resource meta',
  );
  return errors;
}

function validateAdditional(schema: Struct, path: string, place: Place): readonly FieldError[] {
  const additional = schema.additionalProperties;
  if (additional === undefined) return [];
  const at = `${path}.additionalProperties`;
  const both = Object.keys(schema.properties ?? {}).length > 0 && additional !== true;
  const inner = place.insideMetadata ? { ...place, noDefaults: 'inside additionalProperties applying to object metadata' } : place;
  return [
    ...(both ? [forbidden(at, 'additionalProperties and properties are mutual exclusive')] : []),
    ...(typeof additional === 'object' ? validateLevel(additional, at, inner) : []),
  ];
}

function validateMembers(schema: Struct, path: string, place: Place, isRoot: boolean): readonly FieldError[] {
  const isObject = isRoot || schema['x-kubernetes-embedded-resource'] === true;
  return eachEntry<Struct>(schema.properties, `${path}.properties`, (name, member, at) => {
    if (!isObject || name !== 'metadata') return validateLevel(member, at, place);
    return validateLevel(member, at, { ...place, insideMetadata: true, ...(isRoot ? { noDefaults: 'in top-level metadata' } : {}) });
  });
}

function validateInner(schema: Struct, path: string, place: Place): readonly FieldError[] {
  const each = (list: readonly Struct[] | undefined, keyword: string) =>
    eachItem(list, `${path}.${keyword}`, (inner, at) => validateLevel(inner, at, place));
  return [
    ...validateLevel(schema.not, `${path}.not`, place),
    ...each(schema.allOf, 'allOf'),
    ...each(schema.oneOf, 'oneOf'),
    ...each(schema.anyOf, 'anyOf'),
    ...eachEntry<Struct>(schema.definitions, `${path}.definitions`, (_, inner, at) => validateLevel(inner, at, place)),
    ...(Array.isArray(schema.items) ? each(schema.items, 'items') : validateLevel(schema.items, `${path}.items`, place)),
    ...eachEntry<unknown>(schema.dependencies, `${path}.dependencies`, (_, inner, at) =>
      Array.isArray(inner) ? [] : validateLevel(inner as Struct, at, place),
    ),
  ];
}

function validateMapType(schema: Struct, path: string): readonly FieldError[] {
  const mapType = schema['x-kubernetes-map-type'];
  if (mapType === undefined) return [];
  return [
    ...neededType(schema.type, 'object', 'must be object if x-kubernetes-map-type is specified', `${path}.type`),
    ...(MAP_TYPES.includes(mapType) ? [] : [notSupported(`${path}.x-kubernetes-map-type`, mapType, MAP_TYPES)]),
  ];
}

function neededType(type: string | undefined, wanted: string, detail: string, path: string): readonly FieldError[] {
  if (type === wanted) return [];
  return [type ? invalid(path, type, detail) : required(path, detail)];
}

function validateListType(schema: Struct, path: string, place: Place): readonly FieldError[] {
  const listType = schema['x-kubernetes-list-type'];
  if (listType === undefined) return [];
  const errors = [...neededType(schema.type, 'array', 'must be array if x-kubernetes-list-type is specified', `${path}.type`)];
  if (errors.length === 0 && place.strictness.atomicSets && listType === 'set')
    errors.push(...validateSetItems(schema.items, `${path}.items`));
  if (!LIST_TYPES.includes(listType)) errors.push(notSupported(`${path}.x-kubernetes-list-type`, listType, LIST_TYPES));
  return errors;
}

/** Elements of a set are compared as wholes, so they must be owned as wholes. */
function validateSetItems(items: Struct | undefined, path: string): readonly FieldError[] {
  if (items === undefined || Array.isArray(items)) return [];
  const mapType = items['x-kubernetes-map-type'];
  const listType = items['x-kubernetes-list-type'];
  if (items.type === 'object' && mapType !== 'atomic') return [invalid(`${path}.x-kubernetes-map-type`, mapType ?? 'null', SET_ITEMS)];
  if (items.type === 'array' && listType !== undefined && listType !== 'atomic')
    return [invalid(`${path}.x-kubernetes-list-type`, listType, SET_ITEMS)];
  return [];
}

function validateListMapKeys(schema: Struct, path: string): readonly FieldError[] {
  const listType = schema['x-kubernetes-list-type'];
  const keys: string[] = schema['x-kubernetes-list-map-keys'] ?? [];
  const errors: FieldError[] = [];
  if (keys.length > 0 && listType !== 'map') {
    const detail = 'must be map if x-kubernetes-list-map-keys is non-empty';
    const at = `${path}.x-kubernetes-list-type`;
    errors.push(listType === undefined ? required(at, detail) : invalid(at, listType, detail));
  }
  if (listType !== 'map') return errors;
  if (keys.length === 0) errors.push(required(`${path}.x-kubernetes-list-map-keys`, 'must not be empty if x-kubernetes-list-type is map'));
  const { items } = schema;
  if (items === undefined) return [...errors, required(`${path}.items`, 'must have a schema if x-kubernetes-list-type is map')];
  if (Array.isArray(items))
    return [...errors, invalid(`${path}.items`, items, 'must only have a single schema if x-kubernetes-list-type is map')];
  if (items.type !== 'object')
    return [...errors, invalid(`${path}.items.type`, items.type ?? '', "must be object if parent array's x-kubernetes-list-type is map")];
  return [...errors, ...validateKeyMembers(keys, items, path)];
}

function validateKeyMembers(keys: readonly string[], items: Struct, path: string): readonly FieldError[] {
  const at = `${path}.x-kubernetes-list-map-keys`;
  const seen = new Set<string>();
  return keys.flatMap((key) => {
    const errors: FieldError[] = [];
    const member = items.properties?.[key];
    if (member === undefined) errors.push(invalidShown(at, goStrings(keys), 'entries must all be names of item properties'));
    else if (member.type === 'array' || member.type === 'object')
      errors.push(
        invalid(
          `${path}.items.properties[${key}].type`,
          member.type,
          "must be a scalar type if parent array's x-kubernetes-list-type is map",
        ),
      );
    if (seen.has(key)) errors.push(invalidShown(at, goStrings(keys), 'must not contain duplicate entries'));
    seen.add(key);
    return errors;
  });
}

/** Elements of sets and maps are never null, and keys of maps always there. */
function validateItemsAreKeys(schema: Struct, path: string): readonly FieldError[] {
  const listType = schema['x-kubernetes-list-type'];
  const { items } = schema;
  if (items === undefined || Array.isArray(items) || (listType !== 'set' && listType !== 'map')) return [];
  const errors =
    items.nullable === true ? [forbidden(`${path}.items.nullable`, `cannot be nullable when x-kubernetes-list-type is ${listType}`)] : [];
  if (listType === 'set') return errors;
  for (const key of (schema['x-kubernetes-list-map-keys'] ?? []) as string[]) {
    const member = items.properties?.[key];
    if (member === undefined) continue;
    const at = `${path}.items.properties[${key}]`;
    if (!(items.required ?? []).includes(key) && member.default === undefined)
      errors.push(
        required(`${at}.default`, 'this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property'),
      );
    if (member.nullable === true)
      errors.push(forbidden(`${at}.nullable`, 'this property is in x-kubernetes-list-map-keys, so it cannot be nullable'));
  }
  return errors;
}
