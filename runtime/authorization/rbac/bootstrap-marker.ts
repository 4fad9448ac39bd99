/** A note in the store of the default roles and bindings as a start left them: while it holds, the next start need not look at them. */
import { Conflict, KeyExists, KeyNotFound } from '../../storage/errors.ts';
import type { Storage } from '../../storage/storage.ts';

const KEY = 'defaults/roles';

interface Marker {
  /** of the table that they were made from */
  readonly hash: string;
  /** revision of each object, by key */
  readonly revisions: Readonly<Record<string, number>>;
}

/** Whether every object is as it was noted, and the table is the same. */
export function isUnchanged(storage: Storage, hash: string): boolean {
  const entry = storage.get(KEY);
  if (entry === undefined) return false;
  const marker = JSON.parse(entry.value.toString('utf8')) as Marker;
  if (marker.hash !== hash) return false;
  return Object.entries(marker.revisions).every(([key, revision]) => storage.get(key)?.revision === revision);
}

/** @param keys of all objects that the table stands for */
export async function noteDefaults(storage: Storage, hash: string, keys: readonly string[]): Promise<void> {
  const revisions = Object.fromEntries(keys.map((key) => [key, storage.get(key)?.revision ?? 0]));
  const value = { bytes: Buffer.from(JSON.stringify({ hash, revisions } satisfies Marker)), revisionOffset: -1 };
  const entry = storage.get(KEY);
  try {
    await (entry === undefined ? storage.create(KEY, value) : storage.update(KEY, entry.revision, value));
  } catch (error) {
    // Another process that started at the same time has noted the same.
    if (!(error instanceof KeyExists || error instanceof Conflict || error instanceof KeyNotFound)) throw error;
  }
}
