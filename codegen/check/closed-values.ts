import type { TypeUse } from '../model/model.ts';

/** The values that a member, its elements or its values may have; undefined where the set is open. */
export function closedValues(use: TypeUse): readonly string[] | undefined {
  if (use.kind === 'list') return closedValues(use.element);
  if (use.kind === 'map') return closedValues(use.value);
  return use.kind === 'primitive' && use.closed === true ? (use.enum ?? use.constants) : undefined;
}
