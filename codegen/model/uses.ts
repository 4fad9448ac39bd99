/** Finds the types to which the type of a field refers. */
import type { TypeUse } from './model.ts';

/** @returns the definition name of the type that a field, its elements or its values have; undefined for a primitive type */
export function namedIn(use: TypeUse): string | undefined {
  if (use.kind === 'list') return namedIn(use.element);
  if (use.kind === 'map') return namedIn(use.value);
  return use.kind === 'named' ? use.definition : undefined;
}
