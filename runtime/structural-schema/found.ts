/** What a schema finds at one value, with a measure of how near the value was. */
import { type FieldError, invalid } from '../contract/field-error.ts';

export class Found {
  readonly errors: FieldError[] = [];
  /** groups of keywords that apply, types that are right, and what its members have: of several alternatives that fail, the one with most is told of */
  matches = 0;
  readonly #told = new Set<string>();

  add(error: FieldError): void {
    const text = `${error.field}: ${error.message}`;
    if (this.#told.has(text)) return;
    this.#told.add(text);
    this.errors.push(error);
  }

  merge({ errors, matches }: Found): void {
    for (const error of errors) this.add(error);
    this.matches += matches;
  }

  get isValid(): boolean {
    return this.errors.length === 0;
  }
}

/** What 1.32 says of a schema as a whole has no path. */
export const composite = (message: string): FieldError => invalid('', '', message);
