/**
 * A server of an earlier release stores the versions of that release, and notes in the store that it does, so that every server that comes later knows what
 * it may find. A store without a note has objects of the versions of today.
 */
import type { GroupVersionData } from '../../contract/kind.ts';
import type { Storage } from '../../storage/storage.ts';
import type { BuiltInApi } from '../built-in-api.ts';
import type { EmulatedRelease } from './emulated-release.ts';

/** Key of the note. */
export const NOTE = 'defaults/stored-versions';

export interface StoredVersionsParts {
  readonly builtIn: BuiltInApi;
  /** of the current release, with placeholders */
  readonly groupVersions: readonly GroupVersionData[];
  /** absent: the server has the API of today */
  readonly emulated?: EmulatedRelease | undefined;
  /** the API of today with the kinds that are gone */
  readonly loadPast: () => Promise<Pick<EmulatedRelease, 'hubs'>>;
}

/** @returns the store as those see it who know the forms of today: the same one where it has nothing else */
export async function withFormsOfToday(storage: Storage, parts: StoredVersionsParts): Promise<Storage> {
  if (parts.emulated === undefined && storage.revisionOf(NOTE) === undefined) return storage;
  const { convertingStorage } = await import('./stored-versions.ts');
  return convertingStorage(storage, parts);
}
