import { ForwardingStorage } from './forwarding-storage.ts';
import type { Guard, Storage, StorageLog, StoredBytes } from './storage.ts';

/** A store that is read as the one beneath, and whose writes go another way, such as one that holds to a fence. */
export class FencedStorage extends ForwardingStorage {
  readonly #writes: Pick<StorageLog, 'create' | 'update' | 'delete'>;

  constructor(storage: Storage, writes: Pick<StorageLog, 'create' | 'update' | 'delete'>) {
    super(storage);
    this.#writes = writes;
  }

  override create(key: string, value: StoredBytes, guard?: Guard): Promise<number> {
    return this.#writes.create(key, value, guard);
  }

  override update(key: string, expectedRevision: number, value: StoredBytes, guard?: Guard): Promise<number> {
    return this.#writes.update(key, expectedRevision, value, guard);
  }

  override delete(key: string, expectedRevision: number, lastValue: StoredBytes): Promise<number> {
    return this.#writes.delete(key, expectedRevision, lastValue);
  }

  /** Leaves the store beneath open: whoever has opened it closes it. */
  override async close(): Promise<void> {}
}
