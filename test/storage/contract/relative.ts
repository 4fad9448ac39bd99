/** A store whose revisions are counted from where a test began: a store need not begin at 0. Values have the revisions that the store gave them. */
import { Conflict, GuardBroken, KeyExists, RevisionCompacted, RevisionInFuture, StorageError } from '../../../runtime/storage/errors.ts';
import type { Guard, Storage } from '../../../runtime/storage/storage.ts';

/** @param base revision of the store when the test began; 0 gives the store itself */
export function relativeTo<S extends Storage>(storage: S, base: number): S {
  if (base === 0) return storage;
  const at = <O extends { readonly atRevision?: number }>(options: O): O =>
    options.atRevision === undefined ? options : { ...options, atRevision: options.atRevision + base };
  // what else is asked of an entry, it reads itself
  const back = <E extends { readonly revision: number }>(entry: E): E =>
    new Proxy(entry, { get: (target, name) => (name === 'revision' ? target.revision - base : Reflect.get(target, name, target)) });
  const sync = <T>(act: () => T): T => {
    try {
      return act();
    } catch (error) {
      throw shifted(error, base);
    }
  };
  const write = async (made: Promise<number>): Promise<number> => {
    try {
      return (await made) - base;
    } catch (error) {
      throw shifted(error, base);
    }
  };
  const moved = ({ key, revision, and }: Guard): Guard => ({
    key,
    revision: revision === undefined ? undefined : revision + base,
    ...(and && { and: moved(and) }),
  });
  function* backed<E extends { readonly revision: number }>(entries: Iterable<E>): Generator<E> {
    for (const entry of entries) yield back(entry);
  }
  const relative: Storage = {
    currentRevision: () => storage.currentRevision() - base,
    settledRevision: () => storage.settledRevision() - base,
    compactedRevision: () => Math.max(0, storage.compactedRevision() - base),
    create: (key, value, guard) => write(storage.create(key, value, guard && moved(guard))),
    update: (key, expected, value, guard) => write(storage.update(key, expected + base, value, guard && moved(guard))),
    delete: (key, expected, value) => write(storage.delete(key, expected + base, value)),
    probe: () => storage.probe(),
    barrier: () => storage.barrier(),
    get: (key, revision) =>
      sync(() => {
        const entry = storage.get(key, revision === undefined ? undefined : revision + base);
        return entry && { ...entry, revision: entry.revision - base };
      }),
    look: (key, take) => sync(() => storage.look(key, (entry) => take(back(entry)))),
    revisionOf: (key) => {
      const revision = storage.revisionOf(key);
      return revision === undefined ? undefined : revision - base;
    },
    mostBytesOf: (key) => storage.mostBytesOf(key),
    range: (options) => sync(() => backed(storage.range(at(options)))),
    scan: (options) => {
      const scan = sync(() => storage.scan(at(options)));
      return { next: (visit) => sync(() => scan.next((entry) => visit(back(entry)))) };
    },
    count: (options) => sync(() => storage.count(at(options))),
    changes: (after, prefix, limit) => sync(() => backed(storage.changes(after + base, prefix, limit))),
    onCommit: (listener) => storage.onCommit((revision) => listener(revision - base)),
    compact: (revision) => storage.compact(revision + base),
    close: () => storage.close(),
  };
  return Object.assign(Object.create(storage), relative);
}

function shifted(error: unknown, base: number): unknown {
  if (!(error instanceof StorageError)) return error;
  if (error instanceof KeyExists) return new KeyExists(error.key, error.revision - base);
  if (error instanceof Conflict) return new Conflict(error.key, error.expectedRevision - base, error.actualRevision - base);
  if (error instanceof GuardBroken)
    return new GuardBroken(error.key, minus(error.expectedRevision, base), minus(error.actualRevision, base));
  if (error instanceof RevisionCompacted) return new RevisionCompacted(error.revision - base, error.compactedRevision - base);
  if (error instanceof RevisionInFuture) return new RevisionInFuture(error.revision - base, error.currentRevision - base);
  return error;
}

const minus = (revision: number | undefined, base: number): number | undefined => (revision === undefined ? undefined : revision - base);
