/** Compares constraints: does one state refuse what the other took? Only what is tested counts, not how a finding is worded. */
import type { ConstraintEntry, Entry } from '../../model/constraints/entries.ts';
import type { FieldModel } from '../../model/model.ts';
import { isObject, type JsonObject } from '../../read/sources.ts';
import { shown } from '../finding.ts';

/** A constraint that refuses more than before, in words. */
export interface Tightening {
  readonly was: string;
  readonly is: string;
}

/** Members of an entry that say how a finding looks, and in which releases the entry is there. */
const OF_FINDINGS = ['message', 'as', 'path', 'shown', 'limit', 'of', 'stop', 'keyLength', 'join', 'since', 'until'];
/** Members of an entry that hold further entries. */
const NESTED = ['items', 'keys', 'values', 'else', 'first', 'all', 'text', 'number', 'within'] as const;
/** Limits that get tighter when they go down, and limits that get tighter when they go up. */
const UPPER = ['maximum', 'below', 'maxLength', 'maxBytes', 'maxItems', 'maxProperties'];
const LOWER = ['minimum', 'above', 'minLength', 'minItems', 'minProperties'];

/** Answers questions about members of the struct that states the constraints; paths are dotted. */
export interface NewMembers {
  /** Whether the earlier state lacks the member. A constraint of it binds nobody who does not know it, unless the member must be there. */
  readonly isNew: (path: string) => boolean;
  /** The member as the later state has it; undefined if it has none at that path. */
  readonly fieldAt: (path: string) => FieldModel | undefined;
}

/** @returns what `after` refuses and `before` did not */
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

/** The other entries are names, which only say in which order members are looked at. */
function isConstraint(entry: Entry): entry is ConstraintEntry {
  return typeof entry !== 'string';
}

/** @returns the members of the entry that decide whether a value is right */
function tested(entry: ConstraintEntry): JsonObject {
  return Object.fromEntries(Object.entries(entry).filter(([name]) => !OF_FINDINGS.includes(name)));
}

/** A range gives one finding, but is two constraints. */
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

/** Whether two values are the same JSON, whatever the order of their members. */
export function isEqual(one: unknown, other: unknown): boolean {
  return one === other || (one !== undefined && other !== undefined && canonical(one) === canonical(other));
}

function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, member: unknown) =>
    isObject(member) ? Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1))) : member,
  );
}

/** Entries of the same test under the same conditions are compared with each other: only their parameters differ. */
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

/** Whether a parameter refuses more than before. Parameters that cannot be compared count as tighter. */
function isTighter(name: string, was: unknown, is: unknown, { isNew }: NewMembers): boolean {
  if (typeof was === 'number' && typeof is === 'number') {
    if (UPPER.includes(name)) return is < was;
    if (LOWER.includes(name)) return is > was;
  }
  if (name === 'union') return !takesMore(was as Union, is as Union);
  if ((name === 'oneOf' || name === 'zeroOrOneOf') && Array.isArray(was) && Array.isArray(is)) {
    // One member more excludes what was set beside it before. One less leaves those without any who had set it alone.
    const joinsOld = is.some((member: string) => !was.includes(member) && !isNew(member));
    return joinsOld || (name === 'oneOf' && was.some((member) => !is.includes(member)));
  }
  if (name === 'enum' && Array.isArray(was) && Array.isArray(is)) return was.some((value) => !is.includes(value));
  return true;
}

type Union = NonNullable<ConstraintEntry['union']>;

/** Whether everything that could be set before can be set as before; members that came later may be added. */
function takesMore(was: Union, is: Union): boolean {
  const { members: old, ...others } = was;
  const { members: now, ...othersNow } = is;
  if (!isEqual(tested(others as ConstraintEntry), tested(othersNow as ConstraintEntry))) return false;
  if (Array.isArray(old) && Array.isArray(now)) return old.every((member) => now.includes(member));
  return !Array.isArray(old) && !Array.isArray(now) && Object.entries(old).every(([value, member]) => now[value as never] === member);
}

/** Whether the entry refuses nothing as long as the new members are absent. */
function isOfNew(entry: JsonObject, members: NewMembers): boolean {
  const { at, when, union, oneOf, zeroOrOneOf } = entry as ConstraintEntry & JsonObject;
  const { isNew, fieldAt } = members;
  if (when !== undefined && holdsForNewAlone(when, isNew)) return true;
  if (at !== undefined && isNew(at)) return !refusesAbsent(entry as ConstraintEntry, fieldAt(at));
  const named = oneOf ?? zeroOrOneOf ?? (union === undefined ? undefined : membersOf(union.members));
  if (named === undefined) return false;
  if (zeroOrOneOf !== undefined) return named.filter((member) => !isNew(member)).length <= 1;
  if (!named.every(isNew)) return false;
  // A new discriminator is absent in old objects, and then requires nothing.
  const needsOne = oneOf !== undefined || (union?.none !== undefined && (union.discriminator === undefined || !isNew(union.discriminator)));
  return !needsOne || named.some((member) => hasDefault(fieldAt(member)));
}

/** Whether a condition can hold only where new members have values. */
export function holdsForNewAlone(when: NonNullable<ConstraintEntry['when']>, isNew: (path: string) => boolean): boolean {
  const conditions = Array.isArray(when) ? when : [when];
  return conditions.length > 0 && conditions.every((condition) => needsNew(condition, isNew));
}

/**
 * Whether the entry refuses an object without the field.
 * @param field undefined if it is not known, and neither is what its absence means
 */
export function refusesAbsent({ else: otherwise, ...entry }: ConstraintEntry, field: FieldModel | undefined): boolean {
  if (hasDefault(field)) return false;
  const { required, absent, minItems = 0, minProperties = 0, minimum, above, range, all, first } = entry;
  if (required || absent !== undefined || minItems > 0 || minProperties > 0) return true;
  const least = range?.[0] ?? minimum;
  // An absent number counts as 0 unless it is a pointer.
  if (field?.pointer === false && ((typeof least === 'number' && least > 0) || (typeof above === 'number' && above >= 0))) return true;
  return [all, first, otherwise].some((list) => list?.some((each) => isConstraint(each) && refusesAbsent(each, field)));
}

/** Whether a field that is absent gets a value. */
export function hasDefault(field: FieldModel | undefined): boolean {
  if (field === undefined) return false;
  const { default: published, unpublishedDefault, dependentDefaults = [] } = field;
  return published !== undefined || unpublishedDefault !== undefined || dependentDefaults.length > 0;
}

function membersOf(members: NonNullable<ConstraintEntry['union']>['members']): readonly string[] {
  return Array.isArray(members) ? members : Object.values(members).filter((member) => member !== null);
}

/** Whether a condition can hold only where a new member has a value. */
export function needsNew(condition: object, isNew: (path: string) => boolean): boolean {
  return Object.entries(condition).some(([path, test]: [string, unknown]) => isNew(path) && !holdsOfAbsent(test));
}

function holdsOfAbsent(test: unknown): boolean {
  return isObject(test) && (test.present === false || Object.hasOwn(test, 'not'));
}
