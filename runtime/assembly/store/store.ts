/** Opens the store that flags choose: etcd, or that of the data directory. */
import type { ServedStorage } from '../../storage/storage.ts';
import { assertOneEtcd, isInEtcd } from '../setup/etcd-flags.ts';
import type { Setup } from '../setup/setup.ts';

export interface ChosenStore extends Pick<Setup, 'resourcesKnown' | 'egress'> {
  readonly storage: ServedStorage;
}

/** @throws Error like `assertOneEtcd`, `openEtcdStore` and `openFolderStore` */
export async function openStore(directory: string, setup: Setup): Promise<ChosenStore> {
  assertOneEtcd(setup.parsed.values);
  const { noteStorePlace } = await import('./store-folder.ts');
  if (isInEtcd(setup.parsed.values)) {
    const store = await (await import('./etcd-store.ts')).openEtcdStore(setup);
    noteStorePlace(directory, true);
    return store;
  }
  const { openFolderStore } = await import('./folder-store.ts');
  const storage = await openFolderStore(directory, setup);
  noteStorePlace(directory, false);
  return { storage };
}
