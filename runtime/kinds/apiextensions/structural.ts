/**
 * A structural schema gives every level of an object its type, so that unknown members can be told from known ones: the parts of
 * `allOf`, `anyOf`, `oneOf` and `not` only constrain values, and speak of no member that the schema itself does not have.
 */
import type { JSONSchemaProps } from '../../../generated/apiextensions/v1/types.ts';
import { type FieldError, forbidden, invalid } from '../../contract/field-error.ts';
import { deepEqual } from '../../schema/equal.ts';
import { patternProblems } from '../../structural-schema/pattern.ts';
import { foundInEach, joined, NONE } from '../../validation/joined.ts';
import { eachEntry, eachItem, invalidAs } from '../findings.ts';
import { brokenDemands, type Demand } from './demands.ts';
import { validateCompleteness } from './structural-completeness.ts';
import { unsupportedKeyword } from './unsupported.ts';

type Level = 'root' | 'item' | 'field';

const INT_OR_STRING = [{ type: 'integer' }, { type: 'string' }];

/** In the order of their texts, as 1.32 reports them. */
export function validateStructural(schema: JSONSchemaProps, path: string, above: string): readonly FieldError[] {
  const text = ({ field, message }: FieldError) => `${field}: ${message}`;
  const found = [...validateLevel(schema, 'root', path), ...validateCompleteness(schema, path, above)];
  return found.sort((a, b) => (text(a) < text(b) ? -1 : 1));
}

export function isStructural(schema: JSONSchemaProps): boolean {
  return unsupportedKeyword(schema) === undefined && validateStructural(schema, '', '').length === 0;
}

function validateLevel(schema: JSONSchemaProps['items'], level: Level, path: string): readonly FieldError[] {
  if (schema === undefined || Array.isArray(schema)) return NONE;
  const additional = schema.additionalProperties;
  return joined(
    brokenDemands(DEMANDS, schema, path, level),
    validateLevel(schema.items, 'item', `${path}.items`),
    eachEntry(schema.properties, `${path}.properties`, (_, member, at) => validateLevel(member, 'field', at)),
    typeof additional === 'object' ? validateLevel(additional, 'field', `${path}.additionalProperties`) : NONE,
    validateValues(schema, path, integerOrStringPattern(schema)),
    level === 'root' || isEmbedded(schema) ? validateObjectMembers(schema, level, path) : NONE,
  );
}

const isEmbedded = (schema: JSONSchemaProps): boolean => schema['x-kubernetes-embedded-resource'] === true;
const isIntOrString = (schema: JSONSchemaProps): boolean => schema['x-kubernetes-int-or-string'] === true;
const preserves = (schema: JSONSchemaProps): boolean => schema['x-kubernetes-preserve-unknown-fields'] === true;
const needsType = (schema: JSONSchemaProps): boolean => !schema.type && !isEmbedded(schema) && !isIntOrString(schema) && !preserves(schema);

const DEMANDS: readonly Demand<JSONSchemaProps, Level>[] = [
  {
    at: 'items',
    as: 'required',
    detail: 'must be specified',
    broken: ({ type, items }) => type === 'array' && items === undefined,
  },
  {
    at: 'additionalProperties',
    as: 'forbidden',
    detail: 'must not be used at the root',
    broken: ({ additionalProperties }, level) => level === 'root' && additionalProperties !== undefined,
  },
  {
    at: 'additionalProperties',
    as: 'forbidden',
    detail: 'must not be used if x-kubernetes-embedded-resource is set',
    broken: (schema) => isEmbedded(schema) && schema.additionalProperties !== undefined,
  },
  {
    at: 'x-kubernetes-preserve-unknown-fields',
    as: 'invalid',
    detail: 'must be false if x-kubernetes-int-or-string is true',
    broken: (schema) => isIntOrString(schema) && preserves(schema),
  },
  {
    at: 'x-kubernetes-embedded-resource',
    as: 'invalid',
    detail: 'must be false if x-kubernetes-int-or-string is true',
    broken: (schema) => isIntOrString(schema) && isEmbedded(schema),
  },
  {
    at: 'type',
    as: 'required',
    detail: 'must be object if x-kubernetes-embedded-resource is true',
    broken: (schema) => isEmbedded(schema) && !schema.type,
  },
  {
    at: 'type',
    as: 'invalid',
    detail: 'must be object if x-kubernetes-embedded-resource is true',
    broken: (schema) => isEmbedded(schema) && Boolean(schema.type) && schema.type !== 'object',
  },
  {
    at: 'type',
    as: 'required',
    detail: 'must not be empty at the root',
    broken: (schema, level) => level === 'root' && needsType(schema),
  },
  {
    at: 'type',
    as: 'required',
    detail: 'must not be empty for specified array items',
    broken: (schema, level) => level === 'item' && needsType(schema),
  },
  {
    at: 'type',
    as: 'required',
    detail: 'must not be empty for specified object fields',
    broken: (schema, level) => level === 'field' && needsType(schema),
  },
  {
    at: 'type',
    as: 'invalid',
    detail: 'must be object at the root',
    broken: ({ type }, level) => level === 'root' && Boolean(type) && type !== 'object',
  },
  {
    at: 'properties',
    as: 'required',
    detail: 'must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields',
    broken: (schema) => isEmbedded(schema) && !preserves(schema) && Object.keys(schema.properties ?? {}).length === 0,
  },
];

/** Types of the members that every object has. */
const MEMBER_TYPES = [
  ['kind', 'string'],
  ['apiVersion', 'string'],
  ['metadata', 'object'],
] as const;

/** Of the members that every object has, only its name may be constrained. */
function validateObjectMembers({ properties = {} }: JSONSchemaProps, level: Level, path: string): readonly FieldError[] {
  const types = foundInEach(MEMBER_TYPES, ([name, wanted]) => {
    const { type = '' } = properties[name] ?? { type: wanted };
    return type === wanted ? NONE : [invalid(`${path}.properties[${name}].type`, type, `must be ${wanted}`)];
  });
  if (level !== 'root' || isPlainMetadata(properties.metadata ?? {})) return types;
  const detail = 'must not specify anything other than name and generateName, but metadata is implicitly specified';
  return [...types, forbidden(`${path}.properties[metadata]`, detail)];
}

/** Keywords that say nothing where they are empty. */
const IDLE = new Set(['allOf', 'anyOf', 'oneOf', 'enum', 'definitions', 'dependencies', 'patternProperties']);

function isPlainMetadata({ type: _, default: __, properties, ...others }: JSONSchemaProps): boolean {
  const names = Object.keys(properties ?? {});
  const isIdle = Object.entries(others).every(([name, value]) => IDLE.has(name) && Object.keys(value as object).length === 0);
  return isIdle && names.every((name) => name === 'name' || name === 'generateName');
}

/** The one use of types in `anyOf`, directly or as first of `allOf`, that is allowed. */
type Pattern = 'anyOf' | 'allOf' | undefined;

function integerOrStringPattern(schema: JSONSchemaProps): Pattern {
  if (deepEqual(schema.anyOf, INT_OR_STRING)) return 'anyOf';
  return deepEqual(schema.allOf?.[0]?.anyOf, INT_OR_STRING) ? 'allOf' : undefined;
}

function validateValues(schema: JSONSchemaProps, path: string, pattern: Pattern): readonly FieldError[] {
  const each = (keyword: 'anyOf' | 'allOf' | 'oneOf') =>
    eachItem(schema[keyword], `${path}.${keyword}`, (part, at, index) =>
      validatePart(part, at, keyword === 'allOf' && index === 0 && pattern === 'allOf'),
    );
  return joined(
    pattern === 'anyOf' ? NONE : each('anyOf'),
    each('allOf'),
    each('oneOf'),
    validatePart(schema.not, `${path}.not`),
    schema.pattern === undefined ? NONE : invalidAs(patternProblems(schema.pattern), `${path}.pattern`, schema.pattern),
  );
}

/** A part of a junctor constrains values and says nothing else. */
function validatePart(part: JSONSchemaProps['items'], path: string, skipAnyOf = false): readonly FieldError[] {
  if (part === undefined || Array.isArray(part)) return NONE;
  return joined(
    validateValues(part, path, skipAnyOf ? 'anyOf' : undefined),
    validatePart(part.items, `${path}.items`),
    eachEntry(part.properties, `${path}.properties`, (_, member, at) => validatePart(member, at)),
    brokenDemands(PART, part, path, undefined),
    part.properties?.metadata === undefined
      ? NONE
      : [forbidden(`${path}.properties[metadata]`, 'must not be specified in a nested context')],
  );
}

type PartDemand = Demand<JSONSchemaProps>;

const absent = (at: PartDemand['at']): PartDemand => ({
  at,
  as: 'forbidden',
  detail: 'must be undefined to be structural',
  broken: (part) => part[at] !== undefined,
});
const notTrue = (at: PartDemand['at']): PartDemand => ({
  at,
  as: 'forbidden',
  detail: 'must be false to be structural',
  broken: (part) => part[at] === true,
});
const empty = (at: PartDemand['at']): PartDemand => ({
  at,
  as: 'forbidden',
  detail: 'must be empty to be structural',
  broken: ({ [at]: value }) => Boolean(value) && (!Array.isArray(value) || value.length > 0),
});

const PART: readonly PartDemand[] = [
  ...(['type', 'title', 'description', 'x-kubernetes-list-map-keys', 'x-kubernetes-validations'] as const).map(empty),
  ...(['additionalProperties', 'default', 'x-kubernetes-list-type', 'x-kubernetes-map-type'] as const).map(absent),
  ...(['nullable', 'x-kubernetes-preserve-unknown-fields', 'x-kubernetes-embedded-resource', 'x-kubernetes-int-or-string'] as const).map(
    notTrue,
  ),
];
