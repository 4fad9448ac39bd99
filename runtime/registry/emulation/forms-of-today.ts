import type { Storage } from '../../storage/storage.ts';
import { hasNote } from './noted-versions.ts';
import type { StoredVersionsParts } from './stored-versions.ts';

/** @returns the store as those see it who know the forms of today: the same one where it has nothing else */
export async function withFormsOfToday(storage: Storage, parts: StoredVersionsParts): Promise<Storage> {
  if (parts.emulated === undefined && !hasNote(storage)) return storage;
  const { convertingStorage } = await import('./stored-versions.ts');
  return convertingStorage(storage, parts);
}
