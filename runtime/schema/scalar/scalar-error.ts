import { isRawNumber } from './raw-number.ts';

/** Why a value is refused as a scalar. */
export class ScalarError extends Error {
  override readonly name = 'ScalarError';
  /** of a value of the wrong type or range: what was found, such as `number 1.5`, and the type that was wanted, as Go names it */
  readonly mismatch: { readonly found: string; readonly wanted: string } | undefined;
  /** 1.32 stops at such an error; others it keeps, and goes on to find one that stops it */
  readonly stops: boolean;

  constructor(message: string, options: { mismatch?: { found: string; wanted: string }; stops?: boolean } = {}) {
    super(message);
    this.mismatch = options.mismatch;
    this.stops = options.stops ?? false;
  }
}

/** A value of the wrong type or range. @param wanted the type's name in Go, such as `int32` */
export function mismatch(found: string, wanted: string, stops = false): ScalarError {
  return new ScalarError(`json: cannot unmarshal ${found} into Go value of type ${wanted}`, { mismatch: { found, wanted }, stops });
}

/** A text of the wrong form in a type that reads its own JSON. */
export function malformed(message: string): ScalarError {
  return new ScalarError(message, { stops: true });
}

/** The kind of a JSON value, as error messages name it. */
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
