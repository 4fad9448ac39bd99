/** The effects of changes on the owners of an object's fields: the rules of updates and of applies. */
import { deepEqual } from '../schema/equal.ts';
import { compareUtf8 } from '../schema/json/member.ts';
import { type Comparison, compareObjects } from './compare.ts';
import {
  difference,
  EMPTY_SET,
  eachPath,
  type FieldSet,
  includes,
  intersection,
  isEmptySet,
  matching,
  recursiveDifference,
  union,
} from './field-set.ts';
import { capped, type Manager, type Managers, managerKey, owning } from './managers.ts';
import { mergeIntent } from './merge.ts';
import { fieldsOf, reconciled } from './owned-fields.ts';
import { pruned } from './prune.ts';
import { inVersion, type OwnedVersion, type Versions } from './versions.ts';

/** The writer of a change, and the version in which it writes. */
export type Writer = Pick<Manager, 'name' | 'subresource'> & { readonly version: OwnedVersion };

/** An owner who would lose a field by an apply. */
export interface FieldConflict {
  readonly manager: Manager;
  /** path elements from the root */
  readonly path: readonly string[];
}

export class ApplyConflicts extends Error {
  /** sorted by the keys of managers, then in the order of their sets */
  readonly conflicts: readonly FieldConflict[];
  constructor(conflicts: readonly FieldConflict[]) {
    super(`${conflicts.length} conflicts`);
    this.conflicts = conflicts;
  }
}

/** The fields that nobody can own: the identity of the object, and what only the server writes. */
export const UNOWNED: FieldSet = Object.fromEntries([
  ['f:apiVersion', EMPTY_SET],
  ['f:kind', EMPTY_SET],
  [
    'f:metadata',
    Object.fromEntries(
      [
        '.',
        'f:clusterName',
        'f:creationTimestamp',
        'f:generation',
        'f:managedFields',
        'f:name',
        'f:namespace',
        'f:resourceVersion',
        'f:selfLink',
        'f:uid',
      ].map((element) => [element, EMPTY_SET]),
    ),
  ],
]);

/** An object before and after a change, which is compared once in each version that has owners. */
class Change {
  readonly #versions: Versions;
  readonly #version: OwnedVersion;
  readonly #before: object;
  readonly #after: object;
  readonly #comparisons = new Map<string, Comparison>();

  constructor(versions: Versions, version: OwnedVersion, before: object, after: object) {
    this.#versions = versions;
    this.#version = version;
    this.#before = before;
    this.#after = after;
  }

  in(version: OwnedVersion): Comparison {
    let comparison = this.#comparisons.get(version.apiVersion);
    if (comparison === undefined) {
      comparison = this.#compare(version);
      this.#comparisons.set(version.apiVersion, comparison);
    }
    return comparison;
  }

  #compare(version: OwnedVersion): Comparison {
    const [before, after] = inVersion<[object, object]>(this.#versions, [this.#before, this.#after], this.#version, version);
    const { added, modified, removed } = compareObjects(version.shape, before, after);
    return { added: changeable(version, added), modified: changeable(version, modified), removed: changeable(version, removed) };
  }
}

function changeable({ resets, owns }: OwnedVersion, fields: FieldSet): FieldSet {
  return owns === undefined ? recursiveDifference(fields, resets) : matching(fields, owns);
}

/**
 * The rules of creates, updates and patches: the writer becomes the only owner of what it has changed.
 * @param live the object before, without managedFields; for a new object the zero value of its type
 * @param object the object after, without managedFields
 * @param now RFC 3339
 * @throws ElementError for an object that its type does not allow
 */
export function updateManagers(
  versions: Versions,
  live: object,
  object: object,
  managers: Managers,
  writer: Writer,
  now: string,
): Managers {
  const { version } = writer;
  const change = new Change(versions, version, live, object);
  const own = change.in(version);
  const before = current(versions, managers);
  const left = settled(versions, before, change);
  const fields = difference(union(own.modified, own.added), UNOWNED);
  if (isEmptySet(fields)) return capped(left);
  const id = { name: writer.name, operation: 'Update', apiVersion: version.apiVersion, subresource: writer.subresource } as const;
  const key = managerKey(id);
  const previous = before.get(key);
  const owned = previous === undefined ? fields : union(difference(previous.fields, own.removed), fields);
  left.set(key, previous?.fields === owned && previous.time === now ? previous : { ...id, time: now, fields: owned });
  return capped(left);
}

/** The managers with the fields that they still own after the change. Those who own nothing are left out. */
function settled(versions: Versions, managers: Managers, change: Change): Map<string, Manager> {
  const left = new Map<string, Manager>();
  for (const [key, manager] of managers) {
    const { added, modified, removed } = change.in(versions.find(manager.apiVersion) as OwnedVersion);
    const fields = difference(difference(difference(manager.fields, modified), added), removed);
    if (!isEmptySet(fields)) left.set(key, fields === manager.fields ? manager : owning(manager, fields));
  }
  return left;
}

/** The managers with sets that fit the current types. Those of versions that are no longer served are left out. */
function current(versions: Versions, managers: Managers): Managers {
  const found = new Map<string, Manager>();
  for (const [key, manager] of managers) {
    const version = versions.find(manager.apiVersion);
    if (version === undefined) continue;
    const fields = reconciled(version.shape, manager.fields);
    found.set(key, fields === manager.fields ? manager : owning(manager, fields));
  }
  return found;
}

export interface Applied<T> {
  /** neither decoded nor defaulted */
  readonly object: T;
  readonly managers: Managers;
  /** false if the intent only changes owners */
  readonly changed: boolean;
}

/**
 * The rules of applies: merges the intent into the live object, and removes what the applier has applied before and nobody owns any longer.
 * @param live without managedFields; for a new object the zero value of its type
 * @param intent in the writer's version
 * @param now RFC 3339
 * @throws ApplyConflicts unless forced
 * @throws ElementError
 */
export function applyIntent<T extends object>(
  versions: Versions,
  live: T,
  intent: object,
  managers: Managers,
  writer: Writer,
  options: { readonly force: boolean; readonly now: string },
): Applied<T> {
  const { version } = writer;
  const others = new Map(current(versions, managers));
  const id = { name: writer.name, operation: 'Apply', apiVersion: version.apiVersion, subresource: writer.subresource } as const;
  const key = managerKey(id);
  const last = others.get(key);
  others.delete(key);
  const fields = changeable(version, fieldsOf(version.shape, intent));
  const merged = mergeIntent(version.shape, live, intent);
  const object = pruned(versions, merged, others, { ...id, time: last?.time, fields }, last) as T;
  const change = new Change(versions, version, live, object);
  if (!options.force) requireNoConflicts(versions, others, change);
  const left = settled(versions, others, change);
  const changed = !deepEqual(live, object);
  const intended = difference(fields, UNOWNED);
  const owned = last !== undefined && includes(last.fields, intended) && includes(intended, last.fields) ? last.fields : intended;
  const time = changed ? options.now : last?.time;
  if (!isEmptySet(owned))
    left.set(
      key,
      last?.fields === owned && last.time === time && last.apiVersion === id.apiVersion ? last : { ...id, time, fields: owned },
    );
  return { object, managers: left, changed };
}

/** @throws ApplyConflicts */
function requireNoConflicts(versions: Versions, others: Managers, change: Change): void {
  const conflicts: FieldConflict[] = [];
  for (const key of [...others.keys()].sort(compareUtf8)) {
    const manager = others.get(key) as Manager;
    const { added, modified } = change.in(versions.find(manager.apiVersion) as OwnedVersion);
    eachPath(intersection(manager.fields, union(modified, added)), (path) => conflicts.push({ manager, path }));
  }
  if (conflicts.length > 0) throw new ApplyConflicts(conflicts);
}
