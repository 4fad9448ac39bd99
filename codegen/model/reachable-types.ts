/** Finds the types to which others lead by their fields. */
import type { NamedType } from './model.ts';
import { namedIn } from './uses.ts';

/**
 * @param types all types by definition; a definition that is not among them leads nowhere
 * @returns definitions of `roots` and of all types to which they lead, directly or through others
 */
export function reachableTypes(roots: readonly NamedType[], types: ReadonlyMap<string, NamedType>): ReadonlySet<string> {
  const reached = new Set<string>();
  const waiting = [...roots];
  for (let type = waiting.pop(); type !== undefined; type = waiting.pop()) {
    if (reached.has(type.definition)) continue;
    reached.add(type.definition);
    for (const definition of referencesOf(type)) {
      const next = types.get(definition);
      if (next !== undefined && !reached.has(definition)) waiting.push(next);
    }
  }
  return reached;
}

/** @returns definitions of the types of all fields; earlier forms of a field lead to their types as well */
function referencesOf(type: NamedType): string[] {
  if (type.kind === 'scalar') return type.struct === undefined ? [] : [type.definition.slice(0, -type.name.length) + type.struct];
  return type.fields
    .flatMap((field) => [field, ...(field.before ?? []).map(({ field: earlier }) => earlier)])
    .map(({ type: use }) => namedIn(use))
    .filter((definition) => definition !== undefined);
}
