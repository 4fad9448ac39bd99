/** The checks of single values by a schema. */

import { type FieldError, invalid, tooLong, tooMany, typeInvalid } from '../contract/field-error.ts';
import { goQuote } from '../contract/go-quote.ts';
import { writeJson } from '../contract/json-writer.ts';
import { readPattern } from '../expressions/libraries/pattern-syntax.ts';
import { finderOf } from '../expressions/libraries/patterns.ts';
import { VALUE_FORMATS } from '../formats/value-formats.ts';
import { isObject } from '../schema/json/member.ts';
import { numberText, numeric } from '../schema/scalar/raw-number.ts';
import type { CustomSchema } from './custom-schema.ts';
import { enumCheckOf } from './enum-check.ts';
import { type HeldNumber, heldNumber, isHeldInteger, isNearlyWhole, nearestDouble } from './held-numbers.ts';
import { numberCheckOf } from './number-check.ts';

/** One check. Those of a schema run in this order: `first`, alternatives, `scalar`, items, `list`, `last`, `object`, members. */
export interface Check {
  readonly at: 'first' | 'scalar' | 'list' | 'last' | 'object';
  /** @returns no errors for a valid value, and for one of another type */
  of(value: unknown, path: string): readonly FieldError[];
}

const NONE: readonly FieldError[] = [];

/**
 * The two ways in which 1.32 reads a schema. For objects, `x-kubernetes-int-or-string` replaces the type, and unknown formats are ignored.
 * For defaults, type and format count as stated.
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

/** @returns the type and the format that 1.32 finds for a value */
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

/** Unknown formats are ignored as in 1.32, including those of numbers. Hyphens do not matter. */
export const formatOf = ({ format = '' }: CustomSchema): string => (VALUE_FORMATS.has(format.replaceAll('-', '')) ? format : '');

function textCheck({ maxLength, minLength, pattern }: CustomSchema): Check[] {
  if (maxLength === undefined && minLength === undefined && !pattern) return [];
  let expression: Expression | undefined;
  const of: Check['of'] = (value, path) => {
    if (typeof value !== 'string') return NONE;
    const length = maxLength === undefined && minLength === undefined ? 0 : characters(value);
    if (maxLength !== undefined && length > numeric(maxLength)) return [tooLong(path, maxLength)];
    if (minLength !== undefined && length < numeric(minLength))
      return [invalid(path, value, `${path} in body should be at least ${numberText(minLength)} chars long`)];
    if (!pattern) return NONE;
    expression ??= compile(pattern);
    return expression.finds(value) ? NONE : [invalid(path, value, `${path} in body should match '${expression.shown}'`)];
  };
  return [{ at: 'scalar', of }];
}

interface Expression {
  readonly finds: (text: string) => boolean;
  /** the pattern in messages */
  readonly shown: string;
}

/** Nothing matches an invalid pattern, which earlier versions of the API accepted in definitions. */
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
    if (minItems !== undefined && value.length < numeric(minItems))
      errors.push(invalid(path, value.length, `${path} in body should have at least ${numberText(minItems)} items`));
    if (maxItems !== undefined && value.length > numeric(maxItems)) errors.push(tooMany(path, value.length, maxItems));
    if (uniqueItems === true && new Set(value.map((each) => writeJson(each))).size < value.length)
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
    if (minProperties !== undefined && size < numeric(minProperties))
      errors.push(invalid(path, size, `${path} in body should have at least ${numberText(minProperties)} properties`));
    if (maxProperties !== undefined && size > numeric(maxProperties)) errors.push(tooMany(path, size, maxProperties));
    return errors;
  };
  return [{ at: 'object', of }];
}
