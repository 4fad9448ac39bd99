/** The errors of a value, with a measure of how closely the value matches the schema. */
import { type FieldError, invalid } from '../contract/field-error.ts';

export class Found {
  readonly errors: FieldError[] = [];
  /**
   * number of applicable groups of keywords, right types, and matches of members; of several failing alternatives, the one with the most is
   * reported
   */
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

/** Errors of a schema as a whole have no path in 1.32. */
export const composite = (message: string): FieldError => invalid('', '', message);
