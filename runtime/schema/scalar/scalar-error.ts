import { isRawNumber } from './raw-number.ts';

/** The reason why a value is no valid scalar. */
export class ScalarError extends Error {
  override readonly name = 'ScalarError';
  /** set if the type or range is wrong: the value, such as `number 1.5`, and the wanted type, as Go names them */
  readonly mismatch: { readonly found: string; readonly wanted: string } | undefined;
  /** whether 1.32 stops at this error; it keeps other errors and goes on, until one stops it */
  readonly stops: boolean;

  constructor(message: string, options: { mismatch?: { found: string; wanted: string }; stops?: boolean } = {}) {
    super(message);
    this.mismatch = options.mismatch;
    this.stops = options.stops ?? false;
  }
}

/** A value of a wrong type or range. @param wanted the type's name in Go, such as `int32` */
export function mismatch(found: string, wanted: string, stops = false): ScalarError {
  return new ScalarError(`json: cannot unmarshal ${found} into Go value of type ${wanted}`, { mismatch: { found, wanted }, stops });
}

/** An invalid text of a type that reads its own JSON. */
export function malformed(message: string): ScalarError {
  return new ScalarError(message, { stops: true });
}

/** The kind of a JSON value in error messages. */
export function jsonKind(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  switch (typeof value) {
    case 'string':
      return 'string';
    case 'boolean':
      return 'bool';
    case 'number':
      return 'number';
    default:
      return isRawNumber(value) ? 'number' : 'object';
  }
}
