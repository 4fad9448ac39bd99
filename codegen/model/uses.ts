/** Finds the types to which a type's fields refer. */
import type { TypeUse } from './model.ts';

/** The definition name that a field, its elements or its values are of. */
export function namedIn(use: TypeUse): string | undefined {
  if (use.kind === 'list') return namedIn(use.element);
  if (use.kind === 'map') return namedIn(use.value);
  return use.kind === 'named' ? use.definition : undefined;
}
