/** How many objects of each resource there are. */
import type { StorageView } from '../../storage/storage.ts';
import { KeyCounts } from '../stored-objects/key-counts.ts';
import type { Registry } from './registry.ts';
import type { Resource } from './resource.ts';
import { storagePrefix } from './resource-keys.ts';

export interface ObjectCount {
  /** the name of the resource, such as `deployments.apps` */
  readonly resource: string;
  readonly count: number;
}

interface CountedStore {
  readonly storage: Pick<StorageView, 'range'>;
  readonly registry: Pick<Registry, 'current'>;
}

export class ObjectCounts {
  readonly #counts: KeyCounts;

  /** @param period milliseconds for which a count is good. @param now milliseconds, which only go forward */
  constructor({ storage, registry }: CountedStore, period: number, now?: () => number) {
    const counted = () =>
      registry.current.storedResources().map((resource) => ({ name: nameOf(resource), prefix: storagePrefix(resource, '') }));
    this.#counts = new KeyCounts(storage, counted, { period, ...(now && { now }) });
  }

  /** What was counted last. */
  current(): readonly ObjectCount[] {
    return Array.from(this.#counts.current(), ([resource, count]) => ({ resource, count }));
  }

  /** Resolves when nothing is being counted. */
  async counted(): Promise<void> {
    await this.#counts.counted();
  }
}

const nameOf = ({ data, groupVersion: { group } }: Resource): string => (group === '' ? data.name : `${data.name}.${group}`);
