/**
 * Which names of a definition of custom resources are its own: those that it had before, and those that no other definition of its group has.
 * Each name is judged by itself, so that a conflict in one keeps none of the others waiting.
 */
import { aggregateText } from '../contract/aggregate-text.ts';
import { atOnce } from '../schema/at-once.ts';
import { areSameTexts, keptTexts, mappedTexts, setOfTexts, type TextSet } from '../schema/text/text-lists.ts';
import type { CustomNames as Names } from './definition.ts';

/** What the definitions of a group have had accepted. */
export interface UsedNames {
  /** plurals, singulars and short names, which share one space */
  readonly resources: TextSet;
  /** kinds and kinds of lists */
  readonly kinds: TextSet;
}

export interface NameConflict {
  /** such as `PluralConflict` */
  readonly reason: string;
  readonly message: string;
}

export const NO_NAMES: Names = { plural: '', kind: '' };

interface Judgement {
  readonly accepted: Names;
  readonly conflict: NameConflict | undefined;
}

/** As `acceptNamesSlices`, all at once. */
export const acceptNames = (wanted: Names, before: Names, used: UsedNames): Judgement => atOnce(acceptNamesSlices(wanted, before, used));

/**
 * There may be very many short names: between its pieces the caller does what it wants.
 * @param before what the definition itself has had accepted; `used` may hold it. @returns the last conflict, as 1.32 tells of it
 */
export function* acceptNamesSlices(wanted: Names, before: Names, used: UsedNames): Generator<void, Judgement, void> {
  let conflict: NameConflict | undefined;
  const judged = (name: string, own: string, taken: TextSet, reason: string): string => {
    if (name === own || !taken.has(name)) return name;
    conflict = { reason, message: inUse(name) };
    return own;
  };
  const plural = judged(wanted.plural, before.plural, used.resources, 'PluralConflict');
  const singular = judged(wanted.singular ?? '', before.singular ?? '', used.resources, 'SingularConflict');
  const taken = yield* takenShortNames(wanted, before, used);
  if (taken.length > 0) conflict = { reason: 'ShortNamesConflict', message: yield* together(taken) };
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

function* takenShortNames(wanted: Names, before: Names, used: UsedNames): Generator<void, string[], void> {
  const known = yield* keptTexts(wanted.shortNames ?? [], (name) => used.resources.has(name));
  if (known.length === 0) return known;
  const own = yield* setOfTexts(before.shortNames ?? []);
  return yield* keptTexts(known, (name) => !own.has(name));
}

/** As `sameNamesSlices`, all at once. */
export const sameNames = (a: Names, b: Names): boolean => atOnce(sameNamesSlices(a, b));

/** An absent name and an empty one are the same. */
export function* sameNamesSlices(a: Names, b: Names): Generator<void, boolean, void> {
  return (
    a.plural === b.plural &&
    (a.singular ?? '') === (b.singular ?? '') &&
    a.kind === b.kind &&
    (a.listKind ?? '') === (b.listKind ?? '') &&
    (yield* areSameTexts(a.shortNames ?? [], b.shortNames ?? [])) &&
    (yield* areSameTexts(a.categories ?? [], b.categories ?? []))
  );
}

function inUse(name: string): string {
  return `${JSON.stringify(name)} is already in use`;
}

function* together(taken: readonly string[]): Generator<void, string, void> {
  return aggregateText(yield* mappedTexts(taken, inUse));
}
