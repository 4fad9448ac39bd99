import { goQuote } from './go-quote.ts';

/**
 * What is wrong with one field of an object. Validators return lists of these and never throw.
 * The messages are those of field errors in release 1.32, so that clients that match on them keep working.
 */
export interface FieldError {
  readonly reason: FieldErrorReason;
  /** path such as `spec.containers[0].name`, `metadata.labels[a.b/c]` */
  readonly field: string;
  /** without the path, such as `Invalid value: "A": must be lower case` */
  readonly message: string;
  /** a list or structure that the message shows; who knows its type in Go shows it as 1.32 does */
  readonly structure?: object;
}

/** Told of one object at most. Validation ends soon after it has more: each costs about ten microseconds of the only thread. */
export const MOST_FINDINGS = 1_000;

export type FieldErrorReason =
  | 'FieldValueNotFound'
  | 'FieldValueRequired'
  | 'FieldValueDuplicate'
  | 'FieldValueInvalid'
  | 'FieldValueNotSupported'
  | 'FieldValueForbidden'
  | 'FieldValueTooLong'
  | 'FieldValueTooMany'
  | 'InternalError'
  | 'FieldValueTypeInvalid';

/** A value that is shown as this text says: 1.32 prints some in Go's own notation. */
export class Notation {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** 1.32 shows what is absent as it shows text. */
function shown(value: unknown): string {
  if (typeof value === 'string') return goQuote(value);
  return typeof value === 'object' && value !== null ? structureText(value) : JSON.stringify(value ?? 'null');
}

/** Lists of texts are shown as Go has them, other structures as JSON. A list is shown by the error of each of its elements in 1.32: they share one text. */
const texts = new WeakMap<object, string>();
export function structureText(value: object): string {
  if (value instanceof Notation) return value.text;
  let text = texts.get(value);
  if (text === undefined) {
    text = isTexts(value) ? `[]string{${value.map(goQuote).join(', ')}}` : JSON.stringify(value);
    texts.set(value, text);
  }
  return text;
}

const isTexts = (value: object): value is string[] => Array.isArray(value) && value.every((each) => typeof each === 'string');

const error = (reason: FieldErrorReason, field: string, summary: string, detail: string): FieldError => ({
  reason,
  field,
  message: detail === '' ? summary : `${summary}: ${detail}`,
});

/** Of a value, which the message shows. */
function ofValue(reason: FieldErrorReason, field: string, words: string, value: unknown, detail: string): FieldError {
  const found = error(reason, field, `${words}: ${shown(value)}`, detail);
  return isStructure(value) ? { ...found, structure: value } : found;
}

const json = JSON as unknown as { isRawJSON(value: unknown): boolean };

/** An integer beyond 2^53 is an object too. */
const isStructure = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !(value instanceof Notation) && !json.isRawJSON(value);

export const required = (field: string, detail = ''): FieldError => error('FieldValueRequired', field, 'Required value', detail);
export const invalid = (field: string, value: unknown, detail: string): FieldError =>
  ofValue('FieldValueInvalid', field, 'Invalid value', value, detail);
export const typeInvalid = (field: string, value: unknown, detail: string): FieldError =>
  ofValue('FieldValueTypeInvalid', field, 'Invalid value', value, detail);
/** @param supported in the order in which they are shown; sort it where 1.32 does */
export const notSupported = (field: string, value: unknown, supported: readonly string[]): FieldError =>
  ofValue(
    'FieldValueNotSupported',
    field,
    'Unsupported value',
    value,
    supported.length > 0 ? `supported values: ${supported.map(goQuote).join(', ')}` : '',
  );
export const forbidden = (field: string, detail: string): FieldError => error('FieldValueForbidden', field, 'Forbidden', detail);
export const duplicate = (field: string, value: unknown): FieldError => ofValue('FieldValueDuplicate', field, 'Duplicate value', value, '');
export const notFound = (field: string, value: unknown): FieldError => ofValue('FieldValueNotFound', field, 'Not found', value, '');
/** @param limit in bytes */
export const tooLong = (field: string, limit: number): FieldError =>
  error('FieldValueTooLong', field, 'Too long', `may not be more than ${limit} bytes`);
export const tooMany = (field: string, actual: number, limit: number): FieldError =>
  error('FieldValueTooMany', field, `Too many: ${actual}`, `must have at most ${limit} items`);
export const internal = (field: string, detail: string): FieldError => error('InternalError', field, 'Internal error', detail);
