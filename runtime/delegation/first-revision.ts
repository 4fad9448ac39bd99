/**
 * The first write to a store. What is read of a store that has none is of version 0, by which clients that go on from there would ask for any version. Other
 * servers make objects at their start; an aggregated one has none to make.
 */
import { KeyExists } from '../storage/errors.ts';
import type { Storage } from '../storage/storage.ts';

const KEY = 'defaults/store';

export async function makeFirstRevision(storage: Storage): Promise<void> {
  if (storage.currentRevision() > 0) return;
  try {
    await storage.create(KEY, { bytes: Buffer.from('{}'), revisionOffset: -1 });
  } catch (error) {
    // another process that started at the same time has made it
    if (!(error instanceof KeyExists)) throw error;
  }
}
