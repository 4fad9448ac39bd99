/** The managers of fields: the entries of `metadata.managedFields`. */
import { goQuote } from '../contract/go-quote.ts';
import { compareUtf8, isObject } from '../schema/json/member.ts';
import { goJson } from '../schema/structural/go-json.ts';
import { EMPTY_SET, type FieldSet, readFieldSet, unionOf } from './field-set.ts';

/** An owner of fields. An applier is the same one in all versions; updates in two versions are two owners. */
export interface Manager {
  readonly name: string;
  readonly operation: 'Apply' | 'Update';
  /** the version to which `fields` refers */
  readonly apiVersion: string;
  /** '' for the object itself */
  readonly subresource: string;
  /** RFC 3339 in UTC with whole seconds; undefined if the manager has never changed a value */
  readonly time: string | undefined;
  /** may be a getter that reads the set on first use */
  readonly fields: FieldSet;
  /** the stored entry of the manager, if it is unchanged */
  readonly entry?: object | undefined;
}

/** Managers by `managerKey`, in the order of their entries. */
export type Managers = ReadonlyMap<string, Manager>;

/** The key is JSON as Go writes it, because 1.32 sorts conflicts by it. */
export function managerKey({ name, operation, apiVersion, subresource }: Omit<Manager, 'time' | 'fields' | 'entry'>): string {
  const version = operation === 'Apply' || apiVersion === '' ? '' : `,"apiVersion":${goJson(apiVersion)}`;
  const manager = name === '' ? '' : `"manager":${goJson(name)},`;
  return `{${manager}"operation":"${operation}"${version}${subresource === '' ? '' : `,"subresource":${goJson(subresource)}`}}`;
}

export function managersOf(managers: readonly Manager[]): Managers {
  return new Map(managers.map((manager) => [managerKey(manager), manager]));
}

/** An entry of an object, decoded by its schema. */
interface Entry {
  readonly manager?: string;
  readonly operation?: string;
  readonly apiVersion?: string;
  readonly time?: string | null;
  readonly fieldsType?: string;
  readonly fieldsV1?: unknown;
  readonly subresource?: string;
}

/** Reads entries that this server has stored, whose sets are in canonical form. */
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

/** The same manager with other fields. */
export function owning({ name, operation, apiVersion, subresource, time }: Manager, fields: FieldSet): Manager {
  return { name, operation, apiVersion, subresource, time, fields };
}

/**
 * Reads entries from a client.
 * @returns undefined if one of them is invalid
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

/** The entries are invalid; the message is that of 1.32. */
export class EntriesError extends Error {}

/**
 * Reads entries that admission has changed, in canonical form and in their order.
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

/** Whether a client asks to forget all owners, by an empty list or one empty entry. */
export function isReset(entries: readonly unknown[] | undefined): boolean {
  if (entries === undefined || entries.length > 1) return false;
  const [entry] = entries;
  return entry === undefined || (isObject(entry) && Object.keys(entry).length === 0);
}

/** @returns undefined if nobody owns anything */
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

/** Managers with entries of updates at most, as in 1.32. */
const MAX_UPDATERS = 10;
/** The manager that gets the fields of the oldest updaters if there are too many. */
const OLD_UPDATERS = 'ancient-changes';

/** Limits the managers of updates to ten: the oldest ones of each version become one. */
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
 * @param owned the sets of each common manager by its key; their union is made once at the end, because each union copies the sets
 * @param first key of the version's oldest updater, with whose fields the common manager begins
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
