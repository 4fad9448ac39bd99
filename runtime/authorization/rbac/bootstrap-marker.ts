/** A record in the store of how a start left the default roles and bindings. As long as it matches, the next start need not check them. */
import { Conflict, KeyExists, KeyNotFound } from '../../storage/errors.ts';
import type { Storage } from '../../storage/storage.ts';

const KEY = 'defaults/roles';

interface Marker {
  /** digest of the table that they were made from */
  readonly hash: string;
  /** revision of each object, by key */
  readonly revisions: Readonly<Record<string, number>>;
}

/** Whether every object, and the table, is as recorded. */
export function isUnchanged(storage: Storage, hash: string): boolean {
  const entry = storage.get(KEY);
  if (entry === undefined) return false;
  const marker = JSON.parse(entry.value.toString('utf8')) as Marker;
  if (marker.hash !== hash) return false;
  return Object.entries(marker.revisions).every(([key, revision]) => storage.get(key)?.revision === revision);
}

/** @param keys of all objects that come from the table */
export async function noteDefaults(storage: Storage, hash: string, keys: readonly string[]): Promise<void> {
  const revisions = Object.fromEntries(keys.map((key) => [key, storage.get(key)?.revision ?? 0]));
  const value = { bytes: Buffer.from(JSON.stringify({ hash, revisions } satisfies Marker)), revisionOffset: -1 };
  const entry = storage.get(KEY);
  try {
    await (entry === undefined ? storage.create(KEY, value) : storage.update(KEY, entry.revision, value));
  } catch (error) {
    // Another process that started at the same time has recorded the same.
    if (!(error instanceof KeyExists || error instanceof Conflict || error instanceof KeyNotFound)) throw error;
  }
}
