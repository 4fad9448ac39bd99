/** Reads what a property states beside its type as entries, in the order in which they are checked. */
import type { FieldModel, JsonSchema } from '../model.ts';
import type { Entry } from './entries.ts';

/** Keywords of OpenAPI that are constraints. The server enforces them, and does not publish them. */
export const CONSTRAINT_KEYWORDS = [
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'minLength',
  'maxLength',
  'pattern',
  'minItems',
  'maxItems',
  'uniqueItems',
  'minProperties',
  'maxProperties',
] as const;

export const CONSTRAINT_MARKS = [
  'x-cluster-required',
  'x-cluster-format',
  'x-cluster-immutable',
  'x-cluster-unique',
  'x-cluster-unchecked',
  'x-cluster-validations',
] as const;

/** Whether the constraints of the field's own type do not hold for this field. */
export function isUnchecked({ constraints }: FieldModel): boolean {
  return constraints?.['x-cluster-unchecked'] === true;
}

/** @returns all constraints of a field in their order. Where no entry is or holds `nested`, the constraints of the field's own type come after them */
export function statedEntries({ constraints = {} }: FieldModel): readonly Entry[] {
  const {
    'x-cluster-required': required,
    'x-cluster-format': format,
    'x-cluster-immutable': immutable,
    'x-cluster-unique': unique,
    'x-cluster-unchecked': _unchecked,
    'x-cluster-validations': list = [],
    ...keywords
  } = constraints as JsonSchema & { 'x-cluster-validations'?: readonly Entry[] };
  return [
    ...(required === undefined || required === false ? [] : [{ required: true, ...detail(required) }]),
    ...(format === undefined ? [] : [{ format: format as string }]),
    ...ranges(keywords),
    ...sizes(keywords),
    ...(unique === undefined ? [] : [{ items: [{ unique: unique as string }] }]),
    ...(immutable === undefined || immutable === false ? [] : [{ immutable: true, ...detail(immutable) }]),
    ...list,
  ];
}

/** Two limits become one range, so a value beyond either gives one finding that names both. */
function ranges(keywords: JsonSchema): Entry[] {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum } = keywords as Record<string, number | boolean | undefined>;
  if (minimum !== undefined && maximum !== undefined && !exclusiveMinimum && !exclusiveMaximum)
    return [{ range: [minimum as number, maximum as number] }];
  return [
    ...(minimum === undefined ? [] : [exclusiveMinimum === true ? { above: minimum as number } : { minimum: minimum as number }]),
    ...(maximum === undefined ? [] : [exclusiveMaximum === true ? { below: maximum as number } : { maximum: maximum as number }]),
  ];
}

function sizes(keywords: JsonSchema): Entry[] {
  const { minLength, maxLength, pattern, minItems, maxItems, uniqueItems, minProperties, maxProperties } = keywords as Record<
    string,
    never
  >;
  return [
    ...(minLength === undefined ? [] : [{ minLength }]),
    ...(maxLength === undefined ? [] : [{ maxLength }]),
    ...(pattern === undefined ? [] : [{ pattern }]),
    ...(minItems === undefined ? [] : [{ minItems }]),
    ...(maxItems === undefined ? [] : [{ maxItems }]),
    ...(minProperties === undefined ? [] : [{ minProperties }]),
    ...(maxProperties === undefined ? [] : [{ maxProperties }]),
    ...(uniqueItems === true ? [{ items: [{ unique: true }] }] : []),
  ];
}

const detail = (stated: unknown): { message?: string } => (typeof stated === 'string' ? { message: stated } : {});
