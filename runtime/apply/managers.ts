/** Who owns what: the entries of `metadata.managedFields`. */
import { goQuote } from '../contract/go-quote.ts';
import { compareUtf8, isObject } from '../schema/member.ts';
import { EMPTY_SET, type FieldSet, readFieldSet, unionOf } from './field-set.ts';

/** One owner. An applier is the same one whatever version it applies in; updates in two versions are two owners. */
export interface Manager {
  readonly name: string;
  readonly operation: 'Apply' | 'Update';
  /** the version in whose terms `fields` are */
  readonly apiVersion: string;
  /** '' for the object itself */
  readonly subresource: string;
  /** RFC 3339 in UTC, whole seconds; undefined where it has never changed a value */
  readonly time: string | undefined;
  /** read when it is first asked for */
  readonly fields: FieldSet;
  /** the entry that says all this, where it is stored already */
  readonly entry?: object | undefined;
}

/** By `managerKey`, in the order in which they were read. */
export type Managers = ReadonlyMap<string, Manager>;

/** As JSON, as conflicts are sorted by it. */
export function managerKey({ name, operation, apiVersion, subresource }: Omit<Manager, 'time' | 'fields' | 'entry'>): string {
  const version = operation === 'Apply' || apiVersion === '' ? '' : `,"apiVersion":${JSON.stringify(apiVersion)}`;
  const manager = name === '' ? '' : `"manager":${JSON.stringify(name)},`;
  return `{${manager}"operation":"${operation}"${version}${subresource === '' ? '' : `,"subresource":${JSON.stringify(subresource)}`}}`;
}

export function managersOf(managers: readonly Manager[]): Managers {
  return new Map(managers.map((manager) => [managerKey(manager), manager]));
}

/** An entry as it stands in an object, decoded by its schema. */
interface Entry {
  readonly manager?: string;
  readonly operation?: string;
  readonly apiVersion?: string;
  readonly time?: string | null;
  readonly fieldsType?: string;
  readonly fieldsV1?: unknown;
  readonly subresource?: string;
}

/** Entries that this server has stored: their sets are in our form. */
export function readStoredManagers(entries: readonly unknown[] | undefined): Managers {
  return managersOf((entries ?? []).map((entry) => new StoredManager(entry as Entry)));
}

class StoredManager implements Manager {
  readonly name: string;
  readonly operation: Manager['operation'];
  readonly apiVersion: string;
  readonly subresource: string;
  readonly time: string | undefined;
  readonly entry: Entry;

  constructor(entry: Entry) {
    this.name = entry.manager ?? '';
    this.operation = entry.operation as Manager['operation'];
    this.apiVersion = entry.apiVersion ?? '';
    this.subresource = entry.subresource ?? '';
    this.time = entry.time ?? undefined;
    this.entry = entry;
  }

  get fields(): FieldSet {
    return this.entry.fieldsV1 as FieldSet;
  }
}

/** The same manager, now the owner of other fields. */
export function owning({ name, operation, apiVersion, subresource, time }: Manager, fields: FieldSet): Manager {
  return { name, operation, apiVersion, subresource, time, fields };
}

/**
 * Entries as a client has sent them.
 * @returns undefined when one of them is not understood
 */
export function readSentManagers(entries: readonly unknown[]): Managers | undefined {
  const managers: Manager[] = [];
  for (const entry of entries as readonly Entry[]) {
    const understood = (entry.operation === 'Apply' || entry.operation === 'Update') && entry.fieldsType === 'FieldsV1';
    if (!understood || (entry.apiVersion ?? '') === '') return undefined;
    try {
      managers.push(managerOf(entry, readFieldSet(entry.fieldsV1)));
    } catch {
      return undefined;
    }
  }
  return managersOf(managers);
}

/** Entries that are none; the message is that of 1.32. */
export class EntriesError extends Error {}

/**
 * Entries as somebody other than a client has changed them, in our form and in their order.
 * @throws EntriesError
 */
export function changedEntries(entries: readonly unknown[]): object[] {
  return (entries as readonly Entry[]).map((entry, index) => {
    const { operation, apiVersion = '', fieldsType = '' } = entry;
    if (operation !== 'Apply' && operation !== 'Update') throw new EntriesError('operation must be `Apply` or `Update`');
    if (apiVersion === '') throw new EntriesError('apiVersion must not be empty');
    if (fieldsType === '') throw new EntriesError(`missing fieldsType in managed fields entry ${index}`);
    if (fieldsType !== 'FieldsV1') throw new EntriesError(`invalid fieldsType ${goQuote(fieldsType)} in managed fields entry ${index}`);
    try {
      return entryOf(managerOf(entry, readFieldSet(entry.fieldsV1)));
    } catch (error) {
      throw new EntriesError(`error decoding set: ${(error as Error).message}`);
    }
  });
}

function managerOf(entry: Entry, fields: FieldSet): Manager {
  return {
    name: entry.manager ?? '',
    operation: entry.operation as Manager['operation'],
    apiVersion: entry.apiVersion ?? '',
    subresource: entry.subresource ?? '',
    time: entry.time ?? undefined,
    fields,
  };
}

/** A client asks to forget all owners: an empty list, or one empty entry. */
export function isReset(entries: readonly unknown[] | undefined): boolean {
  if (entries === undefined || entries.length > 1) return false;
  const [entry] = entries;
  return entry === undefined || (isObject(entry) && Object.keys(entry).length === 0);
}

/** @returns undefined where nobody owns anything */
export function managedFieldsOf(managers: Managers): object[] | undefined {
  if (managers.size === 0) return undefined;
  return [...managers.values()].sort(inOrder).map((manager) => manager.entry ?? entryOf(manager));
}

const NO_TIME = '1970-01-01T00:00:00Z';

function inOrder(a: Manager, b: Manager): number {
  return (
    compareUtf8(a.operation, b.operation) ||
    compareUtf8(a.time ?? NO_TIME, b.time ?? NO_TIME) ||
    compareUtf8(a.name, b.name) ||
    compareUtf8(a.apiVersion, b.apiVersion) ||
    compareUtf8(a.subresource, b.subresource)
  );
}

function entryOf({ name, operation, apiVersion, subresource, time, fields }: Manager): object {
  return {
    ...(name !== '' && { manager: name }),
    operation,
    apiVersion,
    ...(time !== undefined && { time }),
    fieldsType: 'FieldsV1',
    fieldsV1: fields,
    ...(subresource !== '' && { subresource }),
  };
}

const MAX_UPDATERS = 10;
/** Owns what the oldest updaters have owned, when there are too many of them. */
const OLD_UPDATERS = 'ancient-changes';

/** At most ten owners by update: the oldest ones of a version are one. */
export function capped(managers: Managers): Managers {
  const updaters = [...managers].filter(([, { operation }]) => operation === 'Update');
  if (updaters.length <= MAX_UPDATERS) return managers;
  updaters.sort(([a, one], [b, other]) => compareUtf8(one.time ?? NO_TIME, other.time ?? NO_TIME) || compareUtf8(a, b));
  const left = new Map(managers);
  const firsts = new Map<string, string>();
  const owned = new Map<string, FieldSet[]>();
  let count = updaters.length;
  for (const [key, updater] of updaters) {
    if (count <= MAX_UPDATERS) break;
    const first = firsts.get(updater.apiVersion);
    if (first === undefined) firsts.set(updater.apiVersion, key);
    else {
      mergeInto(left, owned, updater, key, first);
      count--;
    }
  }
  for (const [key, sets] of owned) left.set(key, owning(left.get(key) as Manager, unionOf(sets)));
  return left;
}

/**
 * @param owned the sets of each common owner, by its key: they become one when all are known, for each union copies what it has so far
 * @param first key of the oldest updater of the version, whose fields the common owner begins with
 */
function mergeInto(managers: Map<string, Manager>, owned: Map<string, FieldSet[]>, updater: Manager, key: string, first: string): void {
  const common: Manager = { ...owning(updater, updater.fields), name: OLD_UPDATERS, subresource: '' };
  const bucket = managerKey(common);
  const sets = owned.get(bucket) ?? [(managers.get(bucket) ?? managers.get(first))?.fields ?? EMPTY_SET];
  owned.set(bucket, sets);
  if (!managers.has(bucket)) managers.delete(first);
  managers.delete(key);
  managers.set(bucket, common);
  sets.push(updater.fields);
}
