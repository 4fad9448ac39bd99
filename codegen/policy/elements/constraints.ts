/** Constraints, and whether one state refuses what the other took. What is tested is compared, not what is said of it. */
import type { ConstraintEntry, Entry } from '../../model/constraints/entries.ts';
import type { FieldModel } from '../../model/model.ts';
import { isObject, type JsonObject } from '../../read/sources.ts';
import { shown } from '../finding.ts';

export interface Tightening {
  readonly was: string;
  readonly is: string;
}

/** Members of an entry that say how a finding looks, and when the entry is there. */
const OF_FINDINGS = ['message', 'as', 'path', 'shown', 'limit', 'of', 'stop', 'keyLength', 'join', 'since', 'until'];
/** Entries within an entry. */
const NESTED = ['items', 'keys', 'values', 'else', 'first', 'all', 'text', 'number', 'within'] as const;
/** Limits that get tighter when they go down, and those that do when they go up. */
const UPPER = ['maximum', 'below', 'maxLength', 'maxBytes', 'maxItems', 'maxProperties'];
const LOWER = ['minimum', 'above', 'minLength', 'minItems', 'minProperties'];

/** Members of the struct that states constraints, by dotted paths. */
export interface NewMembers {
  /** whether the earlier state does not have it: what is said of it constrains nobody who does not know it, unless it has to be there */
  readonly isNew: (path: string) => boolean;
  /** as the later state has it */
  readonly fieldAt: (path: string) => FieldModel | undefined;
}

/** @returns what is refused after and was not before */
export function compareEntries(before: readonly Entry[], after: readonly Entry[], members: NewMembers): Tightening[] {
  const old = before.filter(isConstraint).map(tested).flatMap(singleLimits);
  const now = after.filter(isConstraint).map(tested).flatMap(singleLimits);
  const left = [...old];
  const changed = now.filter((entry) => !takeOut(left, (each) => isEqual(each, entry)));
  return changed.flatMap((entry) => {
    const similar = takeOut(left, (each) => isSimilar(each, entry));
    if (similar !== undefined) return compareSimilar(similar, entry, members);
    return isOfNew(entry, members) ? [] : [{ was: 'not constrained', is: shown(entry) }];
  });
}

/** The others are names: they only say in which order members are looked at. */
function isConstraint(entry: Entry): entry is ConstraintEntry {
  return typeof entry !== 'string';
}

/** The entry without what is of no matter to whether a value is right. */
function tested(entry: ConstraintEntry): JsonObject {
  return Object.fromEntries(Object.entries(entry).filter(([name]) => !OF_FINDINGS.includes(name)));
}

/** Two limits that are one finding are two constraints. */
function singleLimits({ range, ...entry }: JsonObject): JsonObject[] {
  if (!Array.isArray(range)) return [entry];
  return [
    { ...entry, minimum: range[0] },
    { ...entry, maximum: range[1] },
  ];
}

function takeOut<T>(list: T[], fits: (each: T) => boolean): T | undefined {
  const index = list.findIndex(fits);
  return index < 0 ? undefined : list.splice(index, 1)[0];
}

/** In JSON, whatever the order of members. */
export function isEqual(one: unknown, other: unknown): boolean {
  return one === other || (one !== undefined && other !== undefined && canonical(one) === canonical(other));
}

function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, member: unknown) =>
    isObject(member) ? Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1))) : member,
  );
}

/** Entries with the same test and the same conditions are compared with each other; only their parameters differ. */
function isSimilar(one: JsonObject, other: JsonObject): boolean {
  const names = (entry: JsonObject): string[] =>
    Object.keys(entry)
      .filter((name) => name !== 'ratchet')
      .sort();
  const same = ['when', 'gate', 'on', 'at', 'absent', 'rule', 'holds'];
  return isEqual(names(one), names(other)) && same.every((name) => isEqual(one[name], other[name]));
}

function compareSimilar(before: JsonObject, after: JsonObject, members: NewMembers): Tightening[] {
  const found: Tightening[] = [];
  if (before.ratchet === true && after.ratchet !== true) found.push({ was: shown(before), is: shown(after) });
  for (const name of Object.keys(after)) {
    const [was, is] = [before[name], after[name]];
    if (name === 'ratchet' || isEqual(was, is)) continue;
    if ((NESTED as readonly string[]).includes(name)) found.push(...compareEntries(was as Entry[], is as Entry[], members));
    else if (isTighter(name, was, is, members)) found.push({ was: `${name} ${shown(was)}`, is: `${name} ${shown(is)}` });
  }
  return found;
}

/** Constraints that cannot be compared count as tighter. */
function isTighter(name: string, was: unknown, is: unknown, { isNew }: NewMembers): boolean {
  if (typeof was === 'number' && typeof is === 'number') {
    if (UPPER.includes(name)) return is < was;
    if (LOWER.includes(name)) return is > was;
  }
  if (name === 'union') return !takesMore(was as Union, is as Union);
  if ((name === 'oneOf' || name === 'zeroOrOneOf') && Array.isArray(was) && Array.isArray(is)) {
    // one more of them excludes what was set beside it before; one less leaves those without any that had it alone
    const joinsOld = is.some((member: string) => !was.includes(member) && !isNew(member));
    return joinsOld || (name === 'oneOf' && was.some((member) => !is.includes(member)));
  }
  if (name === 'enum' && Array.isArray(was) && Array.isArray(is)) return was.some((value) => !is.includes(value));
  return true;
}

type Union = NonNullable<ConstraintEntry['union']>;

/** Whether all that was set before may be set as before, beside members that came later. */
function takesMore(was: Union, is: Union): boolean {
  const { members: old, ...others } = was;
  const { members: now, ...othersNow } = is;
  if (!isEqual(tested(others as ConstraintEntry), tested(othersNow as ConstraintEntry))) return false;
  if (Array.isArray(old) && Array.isArray(now)) return old.every((member) => now.includes(member));
  return !Array.isArray(old) && !Array.isArray(now) && Object.entries(old).every(([value, member]) => now[value as never] === member);
}

/** Whether the entry refuses no value without new members. */
function isOfNew(entry: JsonObject, members: NewMembers): boolean {
  const { at, when, union, oneOf, zeroOrOneOf } = entry as ConstraintEntry & JsonObject;
  const { isNew, fieldAt } = members;
  if (when !== undefined && holdsForNewAlone(when, isNew)) return true;
  if (at !== undefined && isNew(at)) return !refusesAbsent(entry as ConstraintEntry, fieldAt(at));
  const named = oneOf ?? zeroOrOneOf ?? (union === undefined ? undefined : membersOf(union.members));
  if (named === undefined) return false;
  if (zeroOrOneOf !== undefined) return named.filter((member) => !isNew(member)).length <= 1;
  if (!named.every(isNew)) return false;
  // a new discriminator is absent in old objects, and then requires nothing
  const needsOne = oneOf !== undefined || (union?.none !== undefined && (union.discriminator === undefined || !isNew(union.discriminator)));
  return !needsOne || named.some((member) => hasDefault(fieldAt(member)));
}

/** Whether a condition holds only where new members have values. */
export function holdsForNewAlone(when: NonNullable<ConstraintEntry['when']>, isNew: (path: string) => boolean): boolean {
  const conditions = Array.isArray(when) ? when : [when];
  return conditions.length > 0 && conditions.every((condition) => needsNew(condition, isNew));
}

/** Whether the entry refuses an object that does not have the field. @param field undefined: nobody knows what an absent one is */
export function refusesAbsent({ else: otherwise, ...entry }: ConstraintEntry, field: FieldModel | undefined): boolean {
  if (hasDefault(field)) return false;
  const { required, absent, minItems = 0, minProperties = 0, minimum, above, range, all, first } = entry;
  if (required || absent !== undefined || minItems > 0 || minProperties > 0) return true;
  const least = range?.[0] ?? minimum;
  // an absent number counts as 0 unless it is a pointer
  if (field?.pointer === false && ((typeof least === 'number' && least > 0) || (typeof above === 'number' && above >= 0))) return true;
  return [all, first, otherwise].some((list) => list?.some((each) => isConstraint(each) && refusesAbsent(each, field)));
}

export function hasDefault(field: FieldModel | undefined): boolean {
  if (field === undefined) return false;
  const { default: published, unpublishedDefault, dependentDefaults = [] } = field;
  return published !== undefined || unpublishedDefault !== undefined || dependentDefaults.length > 0;
}

function membersOf(members: NonNullable<ConstraintEntry['union']>['members']): readonly string[] {
  return Array.isArray(members) ? members : Object.values(members).filter((member) => member !== null);
}

/** Whether a condition holds only where a new member has a value. */
export function needsNew(condition: object, isNew: (path: string) => boolean): boolean {
  return Object.entries(condition).some(([path, test]: [string, unknown]) => isNew(path) && !holdsOfAbsent(test));
}

function holdsOfAbsent(test: unknown): boolean {
  return isObject(test) && (test.present === false || Object.hasOwn(test, 'not'));
}
