import type { Storage } from '../../storage/storage.ts';
import { hasNote } from './noted-versions.ts';
import type { StoredVersionsParts } from './stored-versions.ts';

/** @returns a storage that converts objects to today's forms; the same storage if all objects have them already */
export async function withFormsOfToday(storage: Storage, parts: StoredVersionsParts): Promise<Storage> {
  if (parts.emulated === undefined && !hasNote(storage)) return storage;
  const { convertingStorage } = await import('./stored-versions.ts');
  return convertingStorage(storage, parts);
}
