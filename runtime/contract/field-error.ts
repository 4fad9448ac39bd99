import { goQuote } from './go-quote.ts';
import { writeJson } from './json-writer.ts';

/**
 * An error in one field of an object. Validators collect these and never throw. The messages are those of field errors in release 1.32, so that clients that
 * match them keep working.
 */
export interface FieldError {
  readonly reason: FieldErrorReason;
  /** the path of the field, such as `spec.containers[0].name` or `metadata.labels[a.b/c]` */
  readonly field: string;
  /** the text without the path, such as `Invalid value: "A": must be lower case` */
  readonly message: string;
  /** the list or object that the message shows, so that code which knows its type in Go can show it as 1.32 does; absent for other values */
  readonly structure?: object;
}

/** The most errors that are told about one object. Validation ends soon after it has more, because each takes about ten microseconds of the only thread. */
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

/** A value that messages show as this text, because 1.32 prints it in a notation of Go. */
export class Notation {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** Shows a value as 1.32 does, which shows an absent one as the text `"null"`. */
function shown(value: unknown): string {
  if (typeof value === 'string') return goQuote(value);
  return typeof value === 'object' && value !== null ? structureText(value) : JSON.stringify(value ?? 'null');
}

/** The texts of lists and objects. In 1.32 the error of each element may show its whole list, so these errors share one text. */
const texts = new WeakMap<object, string>();

/** Shows a list of texts in Go's notation, and any other list or object as JSON. */
export function structureText(value: object): string {
  if (value instanceof Notation) return value.text;
  let text = texts.get(value);
  if (text === undefined) {
    text = isTexts(value) ? `[]string{${value.map(goQuote).join(', ')}}` : writeJson(value);
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

/** Makes an error whose message shows a value. */
function ofValue(reason: FieldErrorReason, field: string, words: string, value: unknown, detail: string): FieldError {
  const found = error(reason, field, `${words}: ${shown(value)}`, detail);
  return isStructure(value) ? { ...found, structure: value } : found;
}

const json = JSON as unknown as { isRawJSON(value: unknown): boolean };

/** Tells whether a value is a list or an object. An integer beyond 2^53 is an object in memory, but not of this kind. */
const isStructure = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !(value instanceof Notation) && !json.isRawJSON(value);

export const required = (field: string, detail = ''): FieldError => error('FieldValueRequired', field, 'Required value', detail);
export const invalid = (field: string, value: unknown, detail: string): FieldError =>
  ofValue('FieldValueInvalid', field, 'Invalid value', value, detail);
export const typeInvalid = (field: string, value: unknown, detail: string): FieldError =>
  ofValue('FieldValueTypeInvalid', field, 'Invalid value', value, detail);
/** @param supported the values in the order in which the message shows them, which is sorted only if 1.32 sorts them */
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
