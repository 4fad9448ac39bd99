import type { TypeUse } from '../model/model.ts';

/** @returns the values that a member, its elements or its values may have; undefined if other values are possible */
export function closedValues(use: TypeUse): readonly string[] | undefined {
  if (use.kind === 'list') return closedValues(use.element);
  if (use.kind === 'map') return closedValues(use.value);
  return use.kind === 'primitive' && use.closed === true ? (use.enum ?? use.constants) : undefined;
}
