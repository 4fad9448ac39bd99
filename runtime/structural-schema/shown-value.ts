import { Notation } from '../contract/field-error.ts';
import { shownValue } from '../schema/structural/go-syntax.ts';
import { heldNumber, heldText } from './held-numbers.ts';

/** A value that messages show as 1.32 does: objects and lists in Go's own notation. */
export function shown(value: unknown): unknown {
  const held = heldNumber(value);
  if (held !== undefined) return new Notation(heldText(held));
  return typeof value === 'object' && value !== null ? new Notation(shownValue(value)) : value;
}
