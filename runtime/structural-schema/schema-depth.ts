import { type FieldError, invalid } from '../contract/field-error.ts';

/** Limit of nested objects and lists, which allows some hundred levels of schemas. Published schemas have a few dozen. */
const MOST_LEVELS = 1_000;

/** Refuses a schema that is nested too deeply before anything walks through it. 1.32 has no such limit, and overflows its stack. */
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
