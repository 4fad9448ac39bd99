/** A store in the memory of this process, gone with it: for servers in tests. */
import { type Change, type Guard, requireKey, type ServedStorage, type StoredBytes } from '../storage.ts';
import { MemoryData } from './memory-data.ts';
import { MemoryView } from './memory-view.ts';

interface Write {
  readonly make: () => number;
  readonly done: (revision: number) => void;
  readonly failed: (error: unknown) => void;
}

export class MemoryStorage extends MemoryView implements ServedStorage {
  /** made together, in a turn of the event loop of their own: what is read in one turn never changes meanwhile */
  #writes: Write[] = [];
  #closing: Promise<void> | undefined;

  /** @param data what is there already, of one store at a time */
  constructor(data = new MemoryData()) {
    super(data);
  }

  /** A store of its own that begins with what this one holds now, at the same revision; its past is not readable. Costs a reference for some 200 keys. */
  fork(): MemoryStorage {
    this.requireOpen();
    return new MemoryStorage(this.data.fork());
  }

  allocatedBytes(): undefined {}

  create(key: string, value: StoredBytes, guard?: Guard): Promise<number> {
    return this.#write('create', key, undefined, value, guard);
  }

  update(key: string, expectedRevision: number, value: StoredBytes, guard?: Guard): Promise<number> {
    return this.#write('update', key, expectedRevision, value, guard);
  }

  delete(key: string, expectedRevision: number, lastValue: StoredBytes): Promise<number> {
    return this.#write('delete', key, expectedRevision, lastValue);
  }

  async #write(
    operation: Change['operation'],
    key: string,
    expected: number | undefined,
    value: StoredBytes,
    guard?: Guard,
  ): Promise<number> {
    requireKey(key);
    return this.#queue(() => this.data.write(operation, key, expected, value, guard));
  }

  /** What resolves is visible. */
  barrier(): undefined {}

  /** Nobody else writes. */
  notify(): void {}

  /** What is in memory is what was written. */
  verification(): undefined {}

  /** Scans have no index. */
  keepIndex(): { stop(): Promise<void> } {
    return { stop: async () => {} };
  }

  async probe(): Promise<void> {
    await this.#queue(() => this.data.revision);
  }

  async #queue(make: () => number): Promise<number> {
    this.requireOpen();
    const { promise, resolve: done, reject: failed } = Promise.withResolvers<number>();
    if (this.#writes.length === 0) setImmediate(() => this.#commit());
    this.#writes.push({ make, done, failed });
    return promise;
  }

  #commit(): void {
    const writes = this.#writes;
    this.#writes = [];
    const before = this.data.revision;
    for (const { make, done, failed } of writes) {
      try {
        done(make());
      } catch (error) {
        failed(error);
      }
    }
    if (this.data.revision > before) this.announce();
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    const closed = this.closeView();
    if (this.#writes.length > 0) await new Promise((resolve) => setImmediate(resolve));
    await closed;
  }
}
