import { Notation } from '../../contract/field-error.ts';
import { shownValue } from '../../schema/structural/go-syntax.ts';

/** A value that messages show as 1.32 does: objects and lists in Go's own notation. */
export function shown(value: unknown): unknown {
  return typeof value === 'object' && value !== null ? new Notation(shownValue(value)) : value;
}
