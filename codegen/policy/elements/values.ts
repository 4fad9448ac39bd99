/** Compares the values that a field may have, and that clients know. */
import type { PrimitiveUse, TypeUse } from '../../model/model.ts';

/** What has become of the values of a field. */
export interface ValuesDifference {
  readonly gone: readonly string[];
  /** Whether values that the schema does not name were taken before, and are refused now. */
  readonly closes: boolean;
}

/** Compares the values of two types whose forms are equal. */
export function compareValues(before: TypeUse, after: TypeUse): ValuesDifference {
  const [old, now] = [primitiveIn(before), primitiveIn(after)];
  if (old === undefined || now === undefined) return { gone: [], closes: false };
  const values = valuesOf(now);
  // A set without names takes every value. A set that names some has lost those that it named before, even if it is open.
  const gone = values.length === 0 ? [] : valuesOf(old).filter((value) => !values.includes(value));
  return { gone, closes: old.closed !== true && now.closed === true };
}

function valuesOf({ enum: known = [], constants = [] }: PrimitiveUse): string[] {
  return [...known, ...constants];
}

function primitiveIn(use: TypeUse): PrimitiveUse | undefined {
  if (use.kind === 'list') return primitiveIn(use.element);
  if (use.kind === 'map') return primitiveIn(use.value);
  return use.kind === 'primitive' ? use : undefined;
}
