/**
 * A server of an earlier release stores versions of that release, and notes them in the store, so that later servers know which versions to
 * expect. A store without a note only has versions of today.
 */
import { parseNativeJson } from '../../schema/json/native-json.ts';
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

/** The stored form: by prefix of keys, the kinds that differ from those of today. */
type Note = Readonly<Record<string, readonly StoredKind[]>>;

export const hasNote = (storage: Storage): boolean => storage.revisionOf(KEY) !== undefined;

/**
 * Adds missing kinds to the note.
 * @param written kinds that will be stored, with the prefixes of their keys
 * @returns the complete note by prefix
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
      // another process has written the note at the same time
      if (!(error instanceof KeyExists || error instanceof Conflict || error instanceof KeyNotFound)) throw error;
    }
  }
}
