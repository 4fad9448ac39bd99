/** Checks of single values, as a schema states them. */
import { type FieldError, invalid, tooLong, tooMany, typeInvalid } from '../contract/field-error.ts';
import { goQuote } from '../contract/go-quote.ts';
import { readPattern } from '../expressions/libraries/pattern-syntax.ts';
import { finderOf } from '../expressions/libraries/patterns.ts';
import { VALUE_FORMATS } from '../formats/value-formats.ts';
import { isObject } from '../schema/member.ts';
import type { CustomSchema } from './custom-schema.ts';
import { enumCheckOf } from './enum-check.ts';
import { type HeldNumber, heldNumber, isHeldInteger, isNearlyWhole, nearestDouble } from './held-numbers.ts';
import { numberCheckOf } from './number-check.ts';

/** One check; those of a schema are made in this order: `first`, alternatives, `scalar`, items, `list`, `last`, `object`, members. */
export interface Check {
  readonly at: 'first' | 'scalar' | 'list' | 'last' | 'object';
  /** @returns none where the value is right, or not of the kind that is checked */
  of(value: unknown, path: string): readonly FieldError[];
}

const NONE: readonly FieldError[] = [];

/**
 * 1.32 reads a schema in two ways. For objects, the mark of integers or texts stands for their types, and a format that is not known for nothing. For
 * defaults, types and formats are what the schema states.
 */
export type Reading = 'of objects' | 'of defaults';

export function checksOf(schema: CustomSchema, reading: Reading): readonly Check[] {
  return [
    ...typeCheck(schema, reading),
    ...textCheck(schema),
    ...formatCheck(schema),
    ...numberCheck(schema),
    ...listCheck(schema),
    ...enumCheck(schema),
    ...sizeCheck(schema),
  ];
}

const INTEGER = ['integer', 'int64'] as const;
const DOUBLE = ['number', 'float64'] as const;

/** @returns what 1.32 calls the type and the format of a value */
function typeOf(value: unknown): readonly [string, string] {
  if (value === null || value === undefined) return ['null', ''];
  if (typeof value === 'string') return ['string', ''];
  if (typeof value === 'boolean') return ['boolean', ''];
  if (typeof value === 'number') return Number.isSafeInteger(value) ? INTEGER : DOUBLE;
  const held = heldNumber(value);
  if (held !== undefined) return isHeldInteger(held) ? INTEGER : DOUBLE;
  return [Array.isArray(value) ? 'array' : 'object', ''];
}

function typeCheck(schema: CustomSchema, reading: Reading): Check[] {
  const isEither = schema['x-kubernetes-int-or-string'] === true && reading === 'of objects';
  const types = isEither ? ['integer', 'string'] : schema.type ? [schema.type] : [];
  const format = reading === 'of objects' ? formatOf(schema) : (schema.format ?? '');
  if (types.length === 0 && format === '') return [];
  const isNumeric = types.includes('number') || types.includes('integer');
  const wrong = (path: string, wanted: string, given: string) => [
    typeInvalid(path, given, `${path} in body must be of type ${wanted}: ${JSON.stringify(given)}`),
  ];
  return [
    {
      at: 'first',
      of(value, path) {
        const [type, valueFormat] = typeOf(value);
        if (type === 'null') return schema.nullable === true || types.length === 0 ? NONE : wrong(path, types.join(','), 'null');
        if (types.includes(type) || (type === 'integer' && types.includes('number'))) return NONE;
        if (type === 'number' && types.includes('integer') && isNearlyWhole(nearestDouble(heldNumber(value) as HeldNumber))) return NONE;
        const isFlat = type === 'string' || type === 'array';
        if (format !== '' && !isFlat && valueFormat !== format) return wrong(path, format, valueFormat);
        return format !== '' && isFlat && !isNumeric ? NONE : wrong(path, types.join(','), type);
      },
    },
  ];
}

/** Formats that 1.32 does not know are passed over, those of numbers too. Hyphens do not tell formats apart. */
export const formatOf = ({ format = '' }: CustomSchema): string => (VALUE_FORMATS.has(format.replaceAll('-', '')) ? format : '');

function textCheck({ maxLength, minLength, pattern }: CustomSchema): Check[] {
  if (maxLength === undefined && minLength === undefined && !pattern) return [];
  let expression: Expression | undefined;
  const of: Check['of'] = (value, path) => {
    if (typeof value !== 'string') return NONE;
    const length = maxLength === undefined && minLength === undefined ? 0 : characters(value);
    if (maxLength !== undefined && length > maxLength) return [tooLong(path, maxLength)];
    if (minLength !== undefined && length < minLength)
      return [invalid(path, value, `${path} in body should be at least ${minLength} chars long`)];
    if (!pattern) return NONE;
    expression ??= compile(pattern);
    return expression.finds(value) ? NONE : [invalid(path, value, `${path} in body should match '${expression.shown}'`)];
  };
  return [{ at: 'scalar', of }];
}

interface Expression {
  readonly finds: (text: string) => boolean;
  /** as messages show it */
  readonly shown: string;
}

/** Nothing matches an expression that is none, which earlier versions of the API let definitions have. */
function compile(pattern: string): Expression {
  const read = readPattern(pattern);
  if (typeof read === 'string') return { finds: () => false, shown: `${pattern}, but pattern is invalid: ${read}` };
  return { finds: finderOf(read), shown: pattern };
}

function characters(text: string): number {
  let count = 0;
  for (const _ of text) count++;
  return count;
}

function formatCheck({ format = '' }: CustomSchema): Check[] {
  const isRight = VALUE_FORMATS.get(format.replaceAll('-', ''));
  if (isRight === undefined) return [];
  const of: Check['of'] = (value, path) =>
    typeof value !== 'string' || isRight(value)
      ? NONE
      : [invalid(path, value, `${path} in body must be of type ${format}: ${goQuote(value)}`)].map((error) => ({
          ...error,
          reason: 'FieldValueTypeInvalid' as const,
        }));
  return [{ at: 'scalar', of }];
}

function numberCheck(schema: CustomSchema): Check[] {
  const of = numberCheckOf(schema);
  return of === undefined ? [] : [{ at: 'scalar', of }];
}

function listCheck({ minItems, maxItems, uniqueItems }: CustomSchema): Check[] {
  if (minItems === undefined && maxItems === undefined && uniqueItems !== true) return [];
  const of: Check['of'] = (value, path) => {
    if (!Array.isArray(value)) return NONE;
    const errors: FieldError[] = [];
    if (minItems !== undefined && value.length < minItems)
      errors.push(invalid(path, value.length, `${path} in body should have at least ${minItems} items`));
    if (maxItems !== undefined && value.length > maxItems) errors.push(tooMany(path, value.length, maxItems));
    if (uniqueItems === true && new Set(value.map((each) => JSON.stringify(each))).size < value.length)
      errors.push(invalid(path, '', `${path} in body shouldn't contain duplicates`));
    return errors;
  };
  return [{ at: 'list', of }];
}

function enumCheck(schema: CustomSchema): Check[] {
  const of = enumCheckOf(schema);
  return of === undefined ? [] : [{ at: 'last', of }];
}

function sizeCheck({ minProperties, maxProperties }: CustomSchema): Check[] {
  if (minProperties === undefined && maxProperties === undefined) return [];
  const of: Check['of'] = (value, path) => {
    const size = isObject(value) ? Object.keys(value).length : 0;
    const errors: FieldError[] = [];
    if (minProperties !== undefined && size < minProperties)
      errors.push(invalid(path, size, `${path} in body should have at least ${minProperties} properties`));
    if (maxProperties !== undefined && size > maxProperties) errors.push(tooMany(path, size, maxProperties));
    return errors;
  };
  return [{ at: 'object', of }];
}
