import { type FieldError, invalid } from '../contract/field-error.ts';

/** Objects and lists within each other: some hundred levels of a schema. Those that people publish have a few dozen. */
const MOST_LEVELS = 1_000;

/** A schema that nests without end is refused before anybody walks through it. 1.32 has no such limit; it runs out of memory for its stack. */
export function depthFindings(schema: object, path: string): readonly FieldError[] {
  return isDeeper(schema, MOST_LEVELS) ? [invalid(path, '', `must not be nested deeper than ${MOST_LEVELS} levels`)] : [];
}

function isDeeper(value: object, most: number): boolean {
  let level: object[] = [value];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth === most) return true;
    level = level.flatMap((each) =>
      Object.values(each).filter((member): member is object => typeof member === 'object' && member !== null),
    );
  }
  return false;
}
