/** Questions about an entry whose answers decide where it stands among the others, and in which pass it runs. */
import type { ConstraintEntry, Entry } from './entries.ts';
import type { Pass } from './subject.ts';

/** Tests that compare the value with the stored one, and so run on updates alone. */
export const UPDATE_TESTS = ['immutable', 'noSet', 'noUnset', 'noModify', 'noDecrease'] as const;

/** Whether the entry states the allowed values, or leads to an entry that does. */
export function namesValues(entry: Entry): boolean {
  if (typeof entry === 'string') return false;
  const { else: otherwise, first, all } = entry;
  return entry.enum !== undefined || [otherwise, first, all].some((list) => list?.some(namesValues));
}

/** Whether the entry, or one in it, stands for the constraints of the value's own type or of its members. These then run there, and not at the end. */
export function placesNested(entry: Entry): boolean {
  if (typeof entry === 'string') return entry === 'nested';
  const { all, first, items, values, within, else: otherwise } = entry;
  return (
    within?.some((each) => typeof each === 'string') === true ||
    [all, first, items, values, otherwise].some((list) => list?.some(placesNested)) ||
    [items, values].some((list) => list?.some(namesValues))
  );
}

/** Whether an entry of a struct states the allowed values of this member, or leads to an entry that does. */
export function namesValuesOf(entry: Entry, name: string): boolean {
  if (typeof entry === 'string') return false;
  if (entry.at === name) return namesValues(entry);
  const { all, first, else: otherwise } = entry;
  return [all, first, otherwise].some((list) => list?.some((each) => namesValuesOf(each, name)));
}

/** @returns the names of the members that an entry places among the others of the struct */
export function namesIn(entry: Entry): string[] {
  if (typeof entry === 'string') return [entry];
  const { union, else: otherwise, first, all } = entry;
  const members = union === undefined ? [] : Object.values(union.members).filter((name) => name !== null);
  return [
    ...members.map(String),
    ...[otherwise, first, entry.at === undefined ? all : undefined].flatMap((list) => (list ?? []).flatMap(namesIn)),
  ];
}

/** The pass in which an entry runs that holds no other entries. */
export function passOf(entry: ConstraintEntry): Pass {
  if (entry.on === 'status') return 'status';
  return entry.on === 'update' || UPDATE_TESTS.some((name) => entry[name] === true) ? 'changes' : 'object';
}

/** Whether there are objects for which the entry does not hold. */
export const isConditional = ({ when, gate, on }: ConstraintEntry): boolean => when !== undefined || gate !== undefined || on === 'create';

/** Whether the entry holds other entries, each of which says for itself when it runs. */
export function isComposed({ all, first, items, keys, values, text, number, within }: ConstraintEntry): boolean {
  return [all, first, items, keys, values, text, number, within].some((entries) => entries !== undefined);
}
