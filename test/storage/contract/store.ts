import { suite } from 'uvu';
import type { Change, Entry, ScanOptions, Storage, StoredBytes, Terms } from '../../../runtime/storage/storage.ts';
import { relativeTo } from './relative.ts';

/** A store of its own for one case. */
export interface TestStore {
  readonly storage: Storage;
  /** closes the store and opens what it left behind; `storage` is the new one then */
  reopen(): Promise<Storage>;
  /** finishes what the store does behind its writes for `find`; a store that does nothing has no such function */
  index?(): Promise<void>;
  /** of a removal the last value is kept, not what was handed over with it */
  readonly keepsLastValues?: true;
  /** writes that were begun together are made in any order, not in that of the calls */
  readonly writesInAnyOrder?: true;
  /** another process compacts: whether a write that was sent with a request to compact is answered before it is that process's choice */
  readonly compactsElsewhere?: true;
  /** whoever reads changes gets copies of his own */
  readonly copiesChanges?: true;
  /** makes calls so that the store finds all of them waiting; a store of this thread, which finds them so anyway, has no such function */
  together?(calls: () => void): void;
  /** closes and removes it */
  remove(): Promise<void>;
}

export type StoreFactory = () => Promise<TestStore>;

export interface Context {
  store: TestStore;
  storage: Storage;
  /** revision of the store, as it counts itself, from which `storage` counts */
  base: number;
}

export interface StoreSuite {
  (title: string, body: (context: Context) => void | Promise<void>): void;
  run(): void;
}

/** A suite in which every case has a new store. */
export function storeSuite(name: string, open: StoreFactory): StoreSuite {
  const test = suite(name);
  const add = (title: string, body: (context: Context) => void | Promise<void>): void =>
    test(title, () => withRelativeStore(open, (store, base) => body({ store, storage: store.storage, base })));
  return Object.assign(add, { run: test.run });
}

/** Not hooks of uvu: it takes a case for passed when a hook throws after the case has thrown. */
export async function withStore<Store extends TestStore>(
  open: () => Promise<Store>,
  body: (store: Store) => void | Promise<void>,
): Promise<void> {
  const store = await open();
  try {
    await body(store);
  } catch (error) {
    await store.remove().catch(() => {});
    throw error;
  }
  await store.remove();
}

/** As `withStore`, with revisions that are counted from where the store begins. */
export function withRelativeStore(open: StoreFactory, body: (store: TestStore, base: number) => void | Promise<void>): Promise<void> {
  return withStore(open, (store) => {
    const base = store.storage.currentRevision();
    const relative = {
      storage: { get: () => relativeTo(store.storage, base) },
      reopen: { value: async () => relativeTo(await store.reopen(), base) },
    };
    return body(Object.create(store, relative), base);
  });
}

/** A value without a gap for the revision. */
export const bytes = (text: string): StoredBytes => ({ bytes: Buffer.from(text), revisionOffset: -1 });

/** The terms of short values in these tests are their words, that of a long one is its first byte. */
export const words: Terms = {
  definition: 'words',
  of: (_segment, value) =>
    value.length > 100 ? [value.toString('hex', 0, 1)] : [...new Set(value.toString().split(' '))].filter((word) => word !== ''),
};

/** `key@revision=value` of each entry. */
export const shown = (entries: Iterable<Entry>): string[] =>
  Array.from(entries, ({ key, revision, value }) => `${key}@${revision}=${value}`);

/** `operation key@revision=value<previous` of each change. */
export const told = (changes: Iterable<Change>): string[] =>
  Array.from(changes, ({ operation, key, revision, value, previousValue }) => {
    const previous = previousValue === undefined ? '' : `<${previousValue}`;
    return `${operation} ${key}@${revision}=${value}${previous}`;
  });

/** What `read` makes of each entry of a scan. @param turn entries that are looked at in one turn */
export function scanned<T>(storage: Storage, options: ScanOptions, read: (entry: Entry) => T, turn = Number.POSITIVE_INFINITY): T[] {
  const found: T[] = [];
  const scan = storage.scan(options);
  for (let end = turn; scan.next((entry) => found.push(read(entry)) < end); end += turn);
  return found;
}

/** All entries of the store, at a revision. */
export const all = (storage: Storage, atRevision?: number): string[] => shown(storage.range({ start: '', end: '', atRevision }));

/** What the promise was rejected with. @throws Error if it was not */
export async function rejection(promise: Promise<unknown>): Promise<unknown> {
  try {
    await promise;
  } catch (error) {
    return error;
  }
  throw new Error('it was not rejected');
}

export function thrown(action: () => unknown): unknown {
  try {
    action();
  } catch (error) {
    return error;
  }
  throw new Error('it did not throw');
}
