/**
 * Which names of a definition of custom resources are its own: those that it had before, and those that no other definition of its group has.
 * Each name is judged by itself, so that a conflict in one keeps none of the others waiting.
 */
import type { CustomResourceDefinitionNames as Names } from '../../../generated/apiextensions/v1/types.ts';
import { deepEqual } from '../../schema/equal.ts';

/** What the definitions of a group have had accepted. */
export interface UsedNames {
  /** plurals, singulars and short names, which share one space */
  readonly resources: ReadonlySet<string>;
  /** kinds and kinds of lists */
  readonly kinds: ReadonlySet<string>;
}

export interface NameConflict {
  /** such as `PluralConflict` */
  readonly reason: string;
  readonly message: string;
}

export const NO_NAMES: Names = { plural: '', kind: '' };

/** @param before what the definition itself has had accepted; `used` may hold it. @returns the last conflict, as 1.32 tells of it */
export function acceptNames(wanted: Names, before: Names, used: UsedNames): { accepted: Names; conflict: NameConflict | undefined } {
  let conflict: NameConflict | undefined;
  const judged = (name: string, own: string, taken: ReadonlySet<string>, reason: string): string => {
    if (name === own || !taken.has(name)) return name;
    conflict = { reason, message: inUse(name) };
    return own;
  };
  const plural = judged(wanted.plural, before.plural, used.resources, 'PluralConflict');
  const singular = judged(wanted.singular ?? '', before.singular ?? '', used.resources, 'SingularConflict');
  const taken = takenShortNames(wanted, before, used);
  if (taken.length > 0) conflict = { reason: 'ShortNamesConflict', message: together(taken.map(inUse)) };
  const { shortNames = [] } = taken.length > 0 ? before : wanted;
  const kind = judged(wanted.kind, before.kind, used.kinds, 'KindConflict');
  const listKind = judged(wanted.listKind ?? '', before.listKind ?? '', used.kinds, 'ListKindConflict');
  const accepted: Names = {
    plural,
    ...(singular !== '' && { singular }),
    ...(shortNames.length > 0 && { shortNames }),
    kind,
    ...(listKind !== '' && { listKind }),
    ...((wanted.categories ?? []).length > 0 && { categories: wanted.categories }),
  };
  return { accepted, conflict };
}

function takenShortNames(wanted: Names, before: Names, used: UsedNames): string[] {
  const own = new Set(before.shortNames);
  return (wanted.shortNames ?? []).filter((name) => !own.has(name) && used.resources.has(name));
}

/** An absent name and an empty one are the same. */
export function sameNames(a: Names, b: Names): boolean {
  return (
    a.plural === b.plural &&
    (a.singular ?? '') === (b.singular ?? '') &&
    a.kind === b.kind &&
    (a.listKind ?? '') === (b.listKind ?? '') &&
    deepEqual(a.shortNames ?? [], b.shortNames ?? []) &&
    deepEqual(a.categories ?? [], b.categories ?? [])
  );
}

function inUse(name: string): string {
  return `${JSON.stringify(name)} is already in use`;
}

function together(messages: readonly string[]): string {
  const each = [...new Set(messages)];
  return each.length === 1 ? (each[0] as string) : `[${each.join(', ')}]`;
}
