import { Notation } from '../contract/field-error.ts';
import { shownValue } from '../schema/structural/go-syntax.ts';
import { heldNumber, heldText } from './held-numbers.ts';

/** A value in messages of 1.32, which show objects and lists in Go syntax. */
export function shown(value: unknown): unknown {
  const held = heldNumber(value);
  if (held !== undefined) return new Notation(heldText(held));
  return typeof value === 'object' && value !== null ? new Notation(shownValue(value)) : value;
}
