/**
 * A store that another thread has. A read asks it and stops this thread until the answer is there, so nobody may use it on a thread that others
 * wait for; the other thread must never wait for this one.
 */
import { CommitListeners } from '../commit-listeners.ts';
import { RevisionCompacted } from '../errors.ts';
import {
  type Change,
  type Entry,
  fillRevision,
  type Guard,
  type RangeOptions,
  type Scan,
  type ScanOptions,
  type Storage,
  type StoredBytes,
} from '../storage.ts';
import { partUnderWay } from '../traced-part.ts';
import {
  type Call,
  type Commit,
  type EntriesOptions,
  errorOf,
  type FarBytes,
  type FarChange,
  type FarEntry,
  type Outcome,
  ownBytes,
  type ReadCalls,
  type RemoteStoreData,
  type WriteCalls,
} from './calls.ts';

const { receiveMessageOnPort } = process.getBuiltinModule('node:worker_threads');

export class RemoteStorage implements Storage {
  readonly #data: RemoteStoreData;
  readonly #listeners = new CommitListeners();
  readonly #pending = new Map<number, PromiseWithResolvers<unknown>>();
  #calls = 0;
  #closed = false;

  constructor(data: RemoteStoreData) {
    this.#data = data;
    data.writes.on('message', (message: Outcome | Commit) => this.#hear(message));
  }

  currentRevision(): number {
    return this.#read('currentRevision');
  }

  settledRevision(): number {
    return this.#read('settledRevision');
  }

  compactedRevision(): number {
    return this.#read('compactedRevision');
  }

  get(key: string, atRevision?: number): Entry | undefined {
    const entry = this.#read('get', key, atRevision);
    return entry === undefined ? undefined : near(entry);
  }

  look<T>(key: string, take: (entry: Entry) => T): T | undefined {
    const entry = this.get(key);
    return entry === undefined ? undefined : take(entry);
  }

  revisionOf(key: string): number | undefined {
    return this.#read('revisionOf', key);
  }

  mostBytesOf(key: string): number {
    return this.#read('mostBytesOf', key);
  }

  range({ limit = Number.POSITIVE_INFINITY, ...options }: RangeOptions): Iterable<Entry> {
    const first = this.#read('entries', { ...options, limit });
    return this.#entries(options, limit, first);
  }

  *#entries(options: Omit<EntriesOptions, 'limit'>, limit: number, first: ReturnType<ReadCalls['entries']>): Iterable<Entry> {
    let [some, left] = [first, limit];
    for (;;) {
      for (const entry of some.entries) {
        this.#assertOpen();
        yield near(entry);
      }
      this.#assertOpen();
      const last = some.entries.at(-1);
      if (!some.more || last === undefined) return;
      left -= some.entries.length;
      some = this.#read('entries', { ...options, start: `${last.key}\0`, atRevision: first.revision, limit: left });
    }
  }

  scan({ requirements, ...options }: ScanOptions): Scan {
    const all = { ...options, ...(requirements && { requirements }) };
    const first = this.#read('entries', { ...all, limit: Number.POSITIVE_INFINITY });
    const entries = this.#entries(all, Number.POSITIVE_INFINITY, first)[Symbol.iterator]();
    return {
      next: (visit) => {
        const compacted = this.compactedRevision();
        if (first.revision < compacted) throw new RevisionCompacted(first.revision, compacted);
        for (let step = entries.next(); step.done !== true; step = entries.next()) if (!visit(step.value)) return true;
        return false;
      },
    };
  }

  count(options: Omit<RangeOptions, 'limit'>): number {
    return this.#read('count', options);
  }

  changes(after: number, prefix: string, limit = Number.POSITIVE_INFINITY): Iterable<Change> {
    return this.#changes(prefix, limit, this.#read('changes', after, prefix, limit));
  }

  *#changes(prefix: string, limit: number, first: ReturnType<ReadCalls['changes']>): Iterable<Change> {
    let [some, left] = [first, limit];
    for (;;) {
      for (const change of some.changes) {
        this.#assertOpen();
        yield this.#near(change);
      }
      this.#assertOpen();
      const last = some.changes.at(-1);
      if (!some.more || last === undefined) return;
      left -= some.changes.length;
      some = this.#read('changes', last.revision, prefix, left);
    }
  }

  #near({ operation, key, revision, value, hasPrevious }: FarChange): Change {
    const previous = () => (hasPrevious ? this.get(key, revision - 1)?.value : undefined);
    return {
      operation,
      key,
      revision,
      value: buffer(value),
      get previousValue() {
        return previous();
      },
    };
  }

  onCommit(listener: (revision: number) => void): () => void {
    this.#assertOpen();
    return this.#listeners.add(listener);
  }

  async create(key: string, value: StoredBytes, guard?: Guard): Promise<number> {
    const bytes = far(value);
    return this.#stored(value, await this.#write('create', [key, bytes, guard], bytes));
  }

  async update(key: string, expectedRevision: number, value: StoredBytes, guard?: Guard): Promise<number> {
    const bytes = far(value);
    return this.#stored(value, await this.#write('update', [key, expectedRevision, bytes, guard], bytes));
  }

  async delete(key: string, expectedRevision: number, lastValue: StoredBytes): Promise<number> {
    const bytes = far(lastValue);
    return this.#stored(lastValue, await this.#write('delete', [key, expectedRevision, bytes], bytes));
  }

  /** The bytes that were stored are a copy of these, which say their revision as well. */
  #stored({ bytes, revisionOffset }: StoredBytes, revision: number): number {
    if (revisionOffset >= 0) fillRevision(bytes, revisionOffset, revision);
    return revision;
  }

  async probe(): Promise<void> {
    await this.#write('probe', []);
  }

  barrier(): Promise<void> {
    return this.#write('barrier', []);
  }

  async compact(revision: number): Promise<void> {
    await this.#write('compact', [revision]);
  }

  /** Lets go of the other thread's store, which stays open. */
  async close(): Promise<void> {
    this.#closed = true;
    await Promise.allSettled(Array.from(this.#pending.values(), ({ promise }) => promise));
    this.#data.reads.close();
    this.#data.writes.close();
  }

  #assertOpen(): void {
    if (this.#closed) throw new Error('the store is closed');
  }

  #read<M extends keyof ReadCalls>(method: M, ...args: Parameters<ReadCalls[M]>): ReturnType<ReadCalls[M]> {
    this.#assertOpen();
    const { reads, answered } = this.#data;
    const before = Atomics.load(answered, 0);
    reads.postMessage(call(0, method, args));
    let received = receiveMessageOnPort(reads);
    while (received === undefined) {
      Atomics.wait(answered, 0, before);
      received = receiveMessageOnPort(reads);
    }
    const { value, failure } = received.message as Outcome;
    if (failure !== undefined) throw errorOf(failure);
    return value as ReturnType<ReadCalls[M]>;
  }

  /** @param handedOver what of the arguments goes to the other thread without being copied there */
  #write<M extends keyof WriteCalls>(method: M, args: Parameters<WriteCalls[M]>, handedOver?: FarBytes): ReturnType<WriteCalls[M]> {
    this.#assertOpen();
    const id = ++this.#calls;
    const pending = Promise.withResolvers<unknown>();
    this.#pending.set(id, pending);
    this.#data.writes.postMessage(call(id, method, args), handedOver === undefined ? [] : [handedOver.bytes.buffer]);
    return pending.promise as ReturnType<WriteCalls[M]>;
  }

  #hear(message: Outcome | Commit): void {
    if ('committed' in message) {
      this.#listeners.tell(message.committed);
      return;
    }
    const pending = this.#pending.get(message.id);
    this.#pending.delete(message.id);
    if (message.failure === undefined) pending?.resolve(message.value);
    else pending?.reject(errorOf(message.failure));
  }
}

function call(id: number, method: string, args: readonly unknown[]): Call {
  const part = partUnderWay();
  return part === undefined ? { id, method, args } : { id, method, args, part: part.id };
}

const buffer = (bytes: Uint8Array<ArrayBuffer>): Buffer => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);

const near = ({ key, revision, value, outdated, id }: FarEntry): Entry => ({
  key,
  revision,
  value: buffer(value),
  ...(outdated && { outdated }),
  ...(id !== undefined && { id }),
});

const far = ({ bytes, revisionOffset, repeats }: StoredBytes): FarBytes => ({
  bytes: ownBytes(bytes),
  revisionOffset,
  ...(repeats !== undefined && { repeats }),
});
