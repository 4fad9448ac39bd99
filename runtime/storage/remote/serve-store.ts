/** The side of the thread that has the store: answers what another one asks, in steps that are short. */
import type { MessagePort } from 'node:worker_threads';
import type { Part } from '../../contract/trace.ts';
import type { Entry, Storage, StoredBytes } from '../storage.ts';
import { withinPart } from '../traced-part.ts';
import {
  type Call,
  type Commit,
  type EntriesOptions,
  type FarBytes,
  type FarChange,
  type FarEntry,
  failureOf,
  type Outcome,
  ownBytes,
  type ReadCalls,
  type RemoteStoreData,
  type WriteCalls,
} from './calls.ts';

/** Entries, and bytes of values, of one answer: some hundred microseconds of this thread. One entry may be longer. */
const MOST_ENTRIES = 500;
const MOST_BYTES = 256 * 1024;

/** The part of a trace that a call belongs to, by its id; undefined: what is done for the call is told by none. */
type PartAt = (id: string) => Part | undefined;

/** @returns what the other thread begins with, what of it is handed over, and what ends this */
export function serveStore(
  storage: Storage,
  partAt: PartAt = () => undefined,
): { data: RemoteStoreData; handedOver: MessagePort[]; end: () => void } {
  const { MessageChannel } = process.getBuiltinModule('node:worker_threads');
  const [reads, writes] = [new MessageChannel(), new MessageChannel()];
  const answered = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  const copies = new Copies();
  const readCalls = readsOf(storage, copies);
  const writeCalls = writesOf(storage);
  const within = <T>(id: string | undefined, work: () => T): T => {
    const part = id === undefined ? undefined : partAt(id);
    return part === undefined ? work() : withinPart(part, work);
  };
  reads.port1.on('message', ({ id, method, args, part }: Call) => {
    const read = (): unknown => (readCalls[method as keyof ReadCalls] as (...args: unknown[]) => unknown)(...args);
    const outcome = attempt(id, () => within(part, read));
    reads.port1.postMessage(outcome, copies.handOver());
    Atomics.add(answered, 0, 1);
    Atomics.notify(answered, 0);
  });
  writes.port1.on('message', ({ id, method, args, part }: Call) => {
    const tell = (outcome: Outcome): void => writes.port1.postMessage(outcome);
    const write = (): Promise<unknown> => (writeCalls[method as keyof WriteCalls] as (...args: unknown[]) => Promise<unknown>)(...args);
    within(part, write).then(
      (value) => tell({ id, value }),
      (error) => tell({ id, failure: failureOf(error) }),
    );
  });
  const deaf = storage.onCommit((committed) => writes.port1.postMessage({ committed } satisfies Commit));
  const ports = [reads.port1, writes.port1];
  for (const port of ports) port.unref();
  return {
    data: { reads: reads.port2, answered, writes: writes.port2 },
    handedOver: [reads.port2, writes.port2],
    end: () => {
      deaf();
      for (const port of ports) port.close();
    },
  };
}

function attempt(id: number, action: () => unknown): Outcome {
  try {
    return { id, value: action() };
  } catch (error) {
    return { id, failure: failureOf(error) };
  }
}

/** Bytes from which a copy is handed over. A message costs less with what is shorter inside of it. */
const HANDED_OVER = 8 * 1024;

/** Copies of values for one answer. Long ones are handed over: a message would copy them once more, on this thread. */
class Copies {
  #long: ArrayBuffer[] = [];

  of(value: Uint8Array): Uint8Array<ArrayBuffer> {
    const copy = ownBytes(value);
    if (copy.length >= HANDED_OVER) this.#long.push(copy.buffer);
    return copy;
  }

  /** @returns memory of all that were made since the last call */
  handOver(): ArrayBuffer[] {
    const long = this.#long;
    this.#long = [];
    return long;
  }
}

function readsOf(storage: Storage, copies: Copies): ReadCalls {
  return {
    currentRevision: () => storage.currentRevision(),
    settledRevision: () => storage.settledRevision(),
    compactedRevision: () => storage.compactedRevision(),
    revisionOf: (key) => storage.revisionOf(key),
    mostBytesOf: (key) => storage.mostBytesOf(key),
    get(key, atRevision) {
      const copied = (entry: Entry): FarEntry => ({ ...entry, value: copies.of(entry.value) });
      if (atRevision === undefined) return storage.look(key, copied);
      const entry = storage.get(key, atRevision);
      return entry && copied(entry);
    },
    count: (options) => storage.count(options),
    entries: (options) => entriesOf(storage, options, copies),
    changes: (after, prefix, limit) => changesOf(storage, copies, after, prefix, limit),
  };
}

function entriesOf(storage: Storage, { limit, ...options }: EntriesOptions, copies: Copies): ReturnType<ReadCalls['entries']> {
  const revision = options.atRevision ?? storage.currentRevision();
  const entries: FarEntry[] = [];
  let bytes = 0;
  const most = Math.min(limit, MOST_ENTRIES);
  if (most <= 0) return { entries, revision, more: false };
  const more = storage.scan({ ...options, atRevision: revision }).next(({ key, revision: changed, value, id }) => {
    entries.push({ key, revision: changed, value: copies.of(value), ...(id !== undefined && { id }) });
    bytes += value.length;
    return entries.length < most && bytes < MOST_BYTES;
  });
  return { entries, revision, more: more && entries.length < limit };
}

function changesOf(storage: Storage, copies: Copies, after: number, prefix: string, limit: number): ReturnType<ReadCalls['changes']> {
  const changes: FarChange[] = [];
  let bytes = 0;
  const most = Math.min(limit, MOST_ENTRIES);
  // one more tells whether there are more
  for (const { operation, key, revision, value } of storage.changes(after, prefix, limit)) {
    // what shares a revision comes in one answer: the next one begins behind it
    if ((changes.length >= most || bytes >= MOST_BYTES) && changes.at(-1)?.revision !== revision) return { changes, more: true };
    changes.push({ operation, key, revision, value: copies.of(value), hasPrevious: operation !== 'create' });
    bytes += value.length;
  }
  return { changes, more: false };
}

function writesOf(storage: Storage): WriteCalls {
  return {
    create: (key, value, guard) => storage.create(key, nearBytes(value), guard),
    update: (key, expectedRevision, value, guard) => storage.update(key, expectedRevision, nearBytes(value), guard),
    delete: (key, expectedRevision, lastValue) => storage.delete(key, expectedRevision, nearBytes(lastValue)),
    probe: () => storage.probe(),
    barrier: async () => storage.barrier(),
    compact: (revision) => storage.compact(revision),
  };
}

function nearBytes({ bytes, ...rest }: FarBytes): StoredBytes {
  return { ...rest, bytes: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length) };
}
