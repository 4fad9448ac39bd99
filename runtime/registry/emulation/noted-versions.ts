/**
 * A server of an earlier release stores the versions of that release, and notes in the store that it does, so that every server that comes later knows what
 * it may find. A store without a note has objects of the versions of today.
 */
import { parseNativeJson } from '../../schema/native-json.ts';
import { Conflict, KeyExists, KeyNotFound } from '../../storage/errors.ts';
import type { Storage } from '../../storage/storage.ts';

const KEY = 'defaults/stored-versions';

/** A kind in the version in which objects are stored. */
export interface StoredKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

export const isSame = (a: StoredKind, b: StoredKind): boolean => a.group === b.group && a.version === b.version && a.kind === b.kind;

/** As it is stored: by the prefix of keys, kinds other than those of today. */
type Note = Readonly<Record<string, readonly StoredKind[]>>;

export const hasNote = (storage: Storage): boolean => storage.revisionOf(KEY) !== undefined;

/**
 * Adds to the note what it lacks.
 * @param written what is about to be stored, with the prefixes of its keys
 * @returns all that it has, by prefix
 */
export async function notedVersions(
  storage: Storage,
  written: readonly (readonly [prefix: string, kind: StoredKind])[],
): Promise<ReadonlyMap<string, readonly StoredKind[]>> {
  for (;;) {
    const entry = storage.get(KEY);
    const note: Note = entry === undefined ? {} : parseNativeJson(entry.value.toString('utf8'));
    const added = written.filter(([prefix, kind]) => !(note[prefix] ?? []).some((each) => isSame(each, kind)));
    if (added.length === 0) return new Map(Object.entries(note));
    const changed: Record<string, readonly StoredKind[]> = { ...note };
    for (const [prefix, kind] of added) changed[prefix] = [...(changed[prefix] ?? []), kind];
    const value = { bytes: Buffer.from(JSON.stringify(changed)), revisionOffset: -1 };
    try {
      await (entry === undefined ? storage.create(KEY, value) : storage.update(KEY, entry.revision, value));
    } catch (error) {
      // another process that started at the same time was faster
      if (!(error instanceof KeyExists || error instanceof Conflict || error instanceof KeyNotFound)) throw error;
    }
  }
}
