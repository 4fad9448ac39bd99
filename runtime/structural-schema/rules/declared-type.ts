/**
 * What expressions know of a schema: a type, and the largest sizes of values (specification: Expression language, map from schemas to
 * types). Without a limit in the schema, the size follows from the longest request.
 */

import type { ValuePath } from '../../expressions/costs/estimate.ts';
import type { Range } from '../../expressions/environment/declarations.ts';
import {
  BOOL,
  BYTES,
  DOUBLE,
  DURATION,
  DYN,
  INT,
  listOf,
  mapOf,
  STRING,
  type StructType,
  TIMESTAMP,
  type Type,
} from '../../expressions/types/type.ts';
import { bigintOf, type RawNumber } from '../../schema/scalar/raw-number.ts';
import type { CustomSchema } from '../custom-schema.ts';
import { escapeProperty, isFieldWord } from './property-names.ts';

/** Limit of a request in bytes. */
export const MAX_REQUEST = 3 * 1024 * 1024;
/** The longest text without a limit, in code points: a request without the quotes. */
const MAX_TEXT = MAX_REQUEST - 2;

/** the type of `self` in messages */
export const SELF = 'selfType1';

export interface DeclaredType {
  readonly type: Type;
  /** most code points, bytes, items or entries; 0 for values without a size */
  readonly maxElements: bigint;
  /** the fewest bytes of a value in a request */
  readonly minSize: number;
  readonly fields?: ReadonlyMap<string, DeclaredType>;
  /** for lists and maps */
  readonly element?: DeclaredType;
  /** the missing keyword that would limit the size; absent: the schema has it */
  readonly missingBound?: 'maxItems' | 'maxProperties' | 'maxLength';
}

interface Formatted {
  readonly type: Type;
  readonly maxElements: bigint;
  readonly minSize: number;
}

const scalar = (type: Type, minSize: number, maxElements: number | bigint = 0): Formatted => ({
  type,
  maxElements: BigInt(maxElements),
  minSize,
});
const BOOLEAN = scalar(BOOL, 4);
const NUMBER = scalar(DOUBLE, 1);
const INTEGER = scalar(INT, 1);
const INT_OR_TEXT: DeclaredType = { ...scalar(DYN, 1, MAX_TEXT), missingBound: 'maxLength' };
const TEXT_SIZE = 2;
const FORMATS: ReadonlyMap<string, Formatted> = new Map([
  ['duration', scalar(DURATION, 3, 32)],
  ['date', scalar(TIMESTAMP, 12, 12)],
  ['date-time', scalar(TIMESTAMP, 21, 32)],
]);

/** Members that every object of the API has, whatever its schema. */
const OBJECT_MEMBERS: Readonly<Record<string, CustomSchema>> = {
  kind: { type: 'string' },
  apiVersion: { type: 'string' },
  metadata: { type: 'object', properties: { name: { type: 'string' }, generateName: { type: 'string' } } },
};

const withMembers = new WeakMap<CustomSchema, CustomSchema>();

/**
 * Adds the members that expressions may always read to the schema of an object of the API. A schema that has them is returned unchanged.
 */
export function withObjectMembers(schema: CustomSchema): CustomSchema {
  let made = withMembers.get(schema);
  if (made === undefined) {
    made = statesMembers(schema) ? schema : { ...schema, type: 'object', properties: { ...schema.properties, ...OBJECT_MEMBERS } };
    withMembers.set(schema, made);
  }
  return made;
}

function statesMembers({ properties = {} }: CustomSchema): boolean {
  const { kind, apiVersion, metadata } = properties;
  const { name, generateName } = metadata?.properties ?? {};
  return metadata?.type === 'object' && [kind, apiVersion, name, generateName].every((member) => member?.type === 'string');
}

/**
 * @param isRoot whether values are whole objects of the API
 * @param name of the type, with which the names of its parts begin
 * @param request bytes of the longest request to consider
 * @returns undefined for values without a type
 */
export function declaredType(schema: CustomSchema, isRoot: boolean, name = SELF, request = MAX_REQUEST): DeclaredType | undefined {
  if (schema['x-kubernetes-int-or-string'] === true) return INT_OR_TEXT;
  const given = isRoot ? withObjectMembers(schema) : schema;
  switch (given.type) {
    case 'array':
      return declaredList(given, name, request);
    case 'object':
      return typeof given.additionalProperties === 'object'
        ? declaredMap(given, given.additionalProperties, name, request)
        : declaredObject(given, name, request);
    case 'string':
      return declaredText(given, request - 2);
    case 'boolean':
      return BOOLEAN;
    case 'number':
      return NUMBER;
    case 'integer':
      return INTEGER;
    default:
      return undefined;
  }
}

/** Whether `declaredType` returns a type for a schema. */
export function isTyped(schema: CustomSchema): boolean {
  const { type, items, additionalProperties: values } = schema;
  if (schema['x-kubernetes-int-or-string'] === true) return true;
  if (type === 'array') return items !== undefined && isTyped(items);
  if (type === 'object') return typeof values !== 'object' || isTyped(values);
  return type !== undefined && SCALARS.has(type);
}

const SCALARS: ReadonlySet<string> = new Set(['string', 'boolean', 'number', 'integer']);
const isEmbedded = (schema: CustomSchema): boolean => schema['x-kubernetes-embedded-resource'] === true;
/** How many values of a size fit into a request. */
const mostOf = (request: number, size: number): bigint => BigInt(Math.floor((request - 2) / size));
/** A limit in the schema. For requests that are shorter than the longest one it is lowered to what fits; otherwise 1.32 trusts it. */
function statedOr(stated: number, request: number, size: number): bigint {
  const fitting = mostOf(request, size);
  const most = atLeastNone(stated);
  return request === MAX_REQUEST || most < fitting ? most : fitting;
}
/** @param stated in the schema, with all its digits */
export function atLeastNone(stated: number | RawNumber): bigint {
  const count = bigintOf(stated);
  return count < 0n ? 0n : count;
}

function declaredList({ items, maxItems }: CustomSchema, name: string, request: number): DeclaredType | undefined {
  const element = items === undefined ? undefined : declaredType(items, isEmbedded(items), `${name}.@idx`, request);
  if (element === undefined) return undefined;
  const maxElements = maxItems === undefined ? mostOf(request, element.minSize + 1) : statedOr(maxItems, request, element.minSize + 1);
  return { type: listOf(element.type), element, maxElements, minSize: 2, ...(maxItems === undefined && { missingBound: 'maxItems' }) };
}

function declaredMap({ maxProperties }: CustomSchema, values: CustomSchema, name: string, request: number): DeclaredType | undefined {
  const element = declaredType(values, isEmbedded(values), `${name}.@elem`, request);
  if (element === undefined) return undefined;
  // a key has two quotes, a character, a colon and a comma at least
  const maxElements =
    maxProperties === undefined ? mostOf(request, element.minSize + 6) : statedOr(maxProperties, request, element.minSize + 6);
  const missing = maxProperties === undefined ? ({ missingBound: 'maxProperties' } as const) : {};
  return { type: mapOf(STRING, element.type), element, maxElements, minSize: 2, ...missing };
}

function declaredObject({ properties = {}, required = [] }: CustomSchema, name: string, request: number): DeclaredType {
  const fields = new Map<string, DeclaredType>();
  let minSize = 2;
  for (const [property, schema] of Object.entries(properties)) {
    const escaped = escapeProperty(property);
    const field = declaredType(schema, isEmbedded(schema), `${name}.${escaped ?? property}`, request);
    if (field === undefined) continue;
    if (escaped !== undefined) fields.set(escaped, field);
    if (required.includes(property) && schema.default === undefined) minSize += Buffer.byteLength(property) + field.minSize + 4;
  }
  const type: StructType = {
    kind: 'struct',
    name,
    field: (field) => fields.get(isFieldWord(field) ? (escapeProperty(field) as string) : field)?.type,
  };
  return { type, fields, maxElements: 0n, minSize };
}

/** maxLength is in code points, of which each may have four bytes; 1.32 multiplies in 64 bits. */
function declaredText({ format = '', maxLength, enum: values = [] }: CustomSchema, longest: number): DeclaredType {
  const missing = maxLength === undefined ? ({ missingBound: 'maxLength' } as const) : {};
  if (format === 'byte') return { ...scalar(BYTES, TEXT_SIZE, maxLength === undefined ? longest : atLeastNone(maxLength)), ...missing };
  const formatted = FORMATS.get(format);
  if (formatted !== undefined) return formatted;
  if (maxLength !== undefined) return scalar(STRING, TEXT_SIZE, BigInt.asUintN(64, atLeastNone(maxLength) * 4n));
  const greatest = Math.max(0, ...values.map((value) => (typeof value === 'string' ? Buffer.byteLength(value) : 0)));
  return values.length > 0 ? scalar(STRING, TEXT_SIZE, greatest) : { ...scalar(STRING, TEXT_SIZE, longest), ...missing };
}

/** the estimates of 1.32 do not know the sizes of keys */
const KEY: DeclaredType = scalar(STRING, TEXT_SIZE);

/** The type at a path that begins with `self` or `oldSelf`. */
export function declaredAt(root: DeclaredType, [, ...path]: ValuePath): DeclaredType | undefined {
  let at: DeclaredType | undefined = root;
  for (const part of path) {
    if (part === '@items' || part === '@values') at = at.element;
    else if (part === '@keys') at = at.element === undefined ? undefined : KEY;
    else at = at.fields?.get(part);
    if (at === undefined) return undefined;
  }
  return at;
}

/** The sizes of values at a path. */
export function sizeAt(root: DeclaredType, path: ValuePath): Range | undefined {
  const declared = declaredAt(root, path);
  return declared === undefined ? undefined : { min: 0n, max: declared.maxElements };
}
