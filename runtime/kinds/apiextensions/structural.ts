/**
 * A structural schema gives every level of an object its type, so that unknown members can be told from known ones: the parts of
 * `allOf`, `anyOf`, `oneOf` and `not` only constrain values, and speak of no member that the schema itself does not have.
 */
import { type FieldError, forbidden, invalid, required } from '../../contract/field-error.ts';
import { deepEqual } from '../../schema/equal.ts';
import { eachEntry, eachItem } from '../core/findings.ts';
import type { Struct } from '../struct.ts';
import { patternProblem } from './pattern.ts';
import { validateCompleteness } from './structural-completeness.ts';

type Level = 'root' | 'item' | 'field';

const EMPTY_TYPE: Readonly<Record<Level, string>> = {
  root: 'must not be empty at the root',
  item: 'must not be empty for specified array items',
  field: 'must not be empty for specified object fields',
};
const INT_OR_STRING = [{ type: 'integer' }, { type: 'string' }];

/** In the order of their texts, as 1.32 reports them. */
export function validateStructural(schema: Struct, path: string): FieldError[] {
  const text = ({ field, message }: FieldError) => `${field}: ${message}`;
  return [...validateLevel(schema, 'root', path), ...validateCompleteness(schema, path)].sort((a, b) => (text(a) < text(b) ? -1 : 1));
}

function validateLevel(schema: Struct | undefined, level: Level, path: string): FieldError[] {
  if (schema === undefined || Array.isArray(schema)) return [];
  const embedded = schema['x-kubernetes-embedded-resource'] === true;
  const intOrString = schema['x-kubernetes-int-or-string'] === true;
  const preserves = schema['x-kubernetes-preserve-unknown-fields'] === true;
  const additional = schema.additionalProperties;
  const errors: FieldError[] = [
    ...(schema.type === 'array' && schema.items === undefined ? [required(`${path}.items`, 'must be specified')] : []),
    ...validateLevel(schema.items, 'item', `${path}.items`),
    ...eachEntry<Struct>(schema.properties, `${path}.properties`, (_, member, at) => validateLevel(member, 'field', at)),
  ];
  if (additional !== undefined && level === 'root') errors.push(forbidden(`${path}.additionalProperties`, 'must not be used at the root'));
  if (typeof additional === 'object') errors.push(...validateLevel(additional, 'field', `${path}.additionalProperties`));
  if (intOrString && preserves)
    errors.push(invalid(`${path}.x-kubernetes-preserve-unknown-fields`, true, 'must be false if x-kubernetes-int-or-string is true'));
  if (intOrString && embedded)
    errors.push(invalid(`${path}.x-kubernetes-embedded-resource`, true, 'must be false if x-kubernetes-int-or-string is true'));
  errors.push(...validateValues(schema, path, integerOrStringPattern(schema)), ...validateType(schema, level, path));
  if (embedded && additional !== undefined)
    errors.push(forbidden(`${path}.additionalProperties`, 'must not be used if x-kubernetes-embedded-resource is set'));
  errors.push(...validateObjectMembers(schema, level, path));
  if (embedded && !preserves && Object.keys(schema.properties ?? {}).length === 0)
    errors.push(
      required(
        `${path}.properties`,
        'must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields',
      ),
    );
  return errors;
}

function validateType(schema: Struct, level: Level, path: string): FieldError[] {
  const at = `${path}.type`;
  const { type = '' } = schema;
  const intOrString = schema['x-kubernetes-int-or-string'] === true;
  const errors: FieldError[] = [];
  if (intOrString && type !== '') errors.push(invalid(at, type, 'must be empty if x-kubernetes-int-or-string is true'));
  if (schema['x-kubernetes-embedded-resource'] === true && type !== 'object') {
    const detail = 'must be object if x-kubernetes-embedded-resource is true';
    errors.push(type === '' ? required(at, detail) : invalid(at, type, detail));
  } else if (type === '' && !intOrString && schema['x-kubernetes-preserve-unknown-fields'] !== true)
    errors.push(required(at, EMPTY_TYPE[level]));
  if (level === 'root' && type !== '' && type !== 'object') errors.push(invalid(at, type, 'must be object at the root'));
  return errors;
}

/** The members that every object has: only its name may be constrained. */
function validateObjectMembers(schema: Struct, level: Level, path: string): FieldError[] {
  const isObject = level === 'root' || schema['x-kubernetes-embedded-resource'] === true;
  const { kind, apiVersion, metadata } = schema.properties ?? {};
  if (!isObject) return [];
  const errors: FieldError[] = [];
  if (kind !== undefined && kind.type !== 'string')
    errors.push(invalid(`${path}.properties[kind].type`, kind.type ?? '', 'must be string'));
  if (apiVersion !== undefined && apiVersion.type !== 'string')
    errors.push(invalid(`${path}.properties[apiVersion].type`, apiVersion.type ?? '', 'must be string'));
  if (metadata === undefined) return errors;
  const at = `${path}.properties[metadata]`;
  if (metadata.type !== 'object') errors.push(invalid(`${at}.type`, metadata.type ?? '', 'must be object'));
  if (level === 'root' && !isPlainMetadata(metadata))
    errors.push(forbidden(at, 'must not specify anything other than name and generateName, but metadata is implicitly specified'));
  return errors;
}

function isPlainMetadata({ type: _, default: __, properties, ...others }: Struct): boolean {
  const names = Object.keys(properties ?? {});
  return Object.keys(others).length === 0 && names.every((name) => name === 'name' || name === 'generateName');
}

/** The one use of types in `anyOf`, directly or as first of `allOf`, that is allowed. */
type Pattern = 'anyOf' | 'allOf' | undefined;

function integerOrStringPattern(schema: Struct): Pattern {
  if (deepEqual(schema.anyOf, INT_OR_STRING)) return 'anyOf';
  return deepEqual(schema.allOf?.[0]?.anyOf, INT_OR_STRING) ? 'allOf' : undefined;
}

function validateValues(schema: Struct, path: string, pattern: Pattern): FieldError[] {
  const each = (keyword: 'anyOf' | 'allOf' | 'oneOf') =>
    eachItem<Struct>(schema[keyword], `${path}.${keyword}`, (part, at, index) =>
      validatePart(part, at, keyword === 'allOf' && index === 0 && pattern === 'allOf'),
    );
  return [
    ...(pattern === 'anyOf' ? [] : each('anyOf')),
    ...each('allOf'),
    ...each('oneOf'),
    ...validatePart(schema.not, `${path}.not`),
    ...validatePattern(schema.pattern, `${path}.pattern`),
  ];
}

function validatePattern(pattern: string | undefined, path: string): FieldError[] {
  if (!pattern) return [];
  const problem = patternProblem(pattern);
  return problem === undefined ? [] : [invalid(path, pattern, `must be a valid regular expression, but isn't: ${problem}`)];
}

/** A part of a junctor constrains values and says nothing else. */
function validatePart(part: Struct | undefined, path: string, skipAnyOf = false): FieldError[] {
  if (part === undefined) return [];
  const refusals = (keywords: readonly string[], present: (value: unknown) => boolean, detail: string) =>
    keywords.filter((keyword) => present(part[keyword])).map((keyword) => forbidden(`${path}.${keyword}`, detail));
  const filled = (value: unknown) => Boolean(value) && (!Array.isArray(value) || value.length > 0);
  const defined = (value: unknown) => value !== undefined;
  return [
    ...validateValues(part, path, skipAnyOf ? 'anyOf' : undefined),
    ...(Array.isArray(part.items) ? [] : validatePart(part.items, `${path}.items`)),
    ...eachEntry<Struct>(part.properties, `${path}.properties`, (_, member, at) => validatePart(member, at)),
    ...refusals(['type'], filled, 'must be empty to be structural'),
    ...refusals(['additionalProperties', 'default'], defined, 'must be undefined to be structural'),
    ...refusals(['title', 'description'], filled, 'must be empty to be structural'),
    ...refusals(FLAGS, (value) => value === true, 'must be false to be structural'),
    ...refusals(['x-kubernetes-list-map-keys', 'x-kubernetes-validations'], filled, 'must be empty to be structural'),
    ...refusals(['x-kubernetes-list-type', 'x-kubernetes-map-type'], defined, 'must be undefined to be structural'),
    ...(part.properties?.metadata === undefined
      ? []
      : [forbidden(`${path}.properties[metadata]`, 'must not be specified in a nested context')]),
  ];
}

const FLAGS = ['nullable', 'x-kubernetes-preserve-unknown-fields', 'x-kubernetes-embedded-resource', 'x-kubernetes-int-or-string'];
