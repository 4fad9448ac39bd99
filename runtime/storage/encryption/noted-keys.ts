/**
 * Which keys may have encrypted what of a store. They are noted in the store itself before they encrypt anything, so that every process, and every later
 * server, knows that values may be there which it cannot decrypt: those are errors when they are read, and are never missing from a search.
 */
import { Conflict, KeyExists, KeyNotFound } from '../errors.ts';
import type { Storage } from '../storage.ts';

const KEY = 'defaults/encryption-keys';

/** The note as it is stored: rules such as `*.apps`, by the identities of keys. */
export type NotedKeys = Readonly<Record<string, readonly string[]>>;

/** Tells whether values of a store may be encrypted. */
export const hasEncrypted = (storage: Storage): boolean => notedRevision(storage) !== undefined;

/** Returns the revision of the note, which changes with it; undefined if there is none. */
export const notedRevision = (storage: Storage): number | undefined => storage.revisionOf(KEY);

export function readNotedKeys(storage: Storage): { readonly revision: number | undefined; readonly keys: NotedKeys } {
  const entry = storage.get(KEY);
  return { revision: entry?.revision, keys: entry === undefined ? {} : (JSON.parse(entry.value.toString('utf8')) as NotedKeys) };
}

/** @param change gives what is noted from now on; undefined where that is there already. @throws StorageError */
export async function changeNotedKeys(storage: Storage, change: (keys: NotedKeys) => NotedKeys | undefined): Promise<void> {
  for (;;) {
    const { revision, keys } = readNotedKeys(storage);
    const changed = change(keys);
    if (changed === undefined) return;
    const value = { bytes: Buffer.from(JSON.stringify(changed)), revisionOffset: -1 };
    try {
      await (revision === undefined ? storage.create(KEY, value) : storage.update(KEY, revision, value));
    } catch (error) {
      // another process that reads the same configuration was faster
      if (!(error instanceof KeyExists || error instanceof Conflict || error instanceof KeyNotFound)) throw error;
    }
  }
}

/** @returns undefined where it has them all */
export function withKeys(keys: NotedKeys, added: Iterable<readonly [id: string, rules: readonly string[]]>): NotedKeys | undefined {
  const changed = new Map(Object.entries(keys));
  let more = false;
  for (const [id, rules] of added) {
    const before = changed.get(id) ?? [];
    const missing = rules.filter((rule) => !before.includes(rule));
    if (missing.length === 0) continue;
    changed.set(id, [...before, ...missing]);
    more = true;
  }
  return more ? Object.fromEntries(changed) : undefined;
}
