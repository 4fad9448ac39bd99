/**
 * Lists read one snapshot of the store in slices. Each slice ends within one synchronous turn, so that a long list neither blocks other requests nor holds more
 * than a slice in memory (specification: Collections, Chunked lists).
 */
import type { Identity } from '../../contract/identity.ts';
import type { Waiting } from '../../contract/request-context.ts';
import type { Span } from '../../contract/trace.ts';
import { newBadRequest, newExpired, StatusError } from '../../status/status.ts';
import { RevisionCompacted } from '../../storage/errors.ts';
import { type Entry, MAX_KEY_BYTES, prefixEnd, type Scan, type Storage } from '../../storage/storage.ts';
import { withinPart } from '../../storage/traced-part.ts';
import type { ResourceStore } from '../resource-store/resource-store.ts';
import { parseResourceVersion, waitUntilFresh } from '../resource-store/resource-version.ts';
import { type Selection, splitKey } from '../selection/selection.ts';
import { StoredObject } from '../stored-objects/stored-object.ts';
import { type ContinuePoint, decodeContinue, encodeContinue, wrongRevision } from './continue-token.ts';

/** A slice ends behind so many entries, so many bytes that were made of them, or so many milliseconds. */
const SLICE_ENTRIES = 2_000;
const SLICE_BYTES = 256 * 1024;
const SLICE_MILLISECONDS = 8;
/** The clock is read only behind every so many entries, or bytes. */
const CLOCK_ENTRIES = 16;
const CLOCK_BYTES = 16 * 1024;

export interface ListRequest {
  readonly namespace: string;
  readonly selection: Selection;
  readonly resourceVersion: string;
  readonly resourceVersionMatch: string;
  /** items at most; 0: all */
  readonly limit: number;
  readonly continue: string;
  /** the request that waits for the list, with which conversions end */
  readonly waiting?: Waiting | undefined;
  /** notes how the list is read; absent if the list is not traced */
  readonly reading?: ListReading | undefined;
}

/** Notes in a trace how a list is read. */
export interface ListReading {
  /** the part of the trace for what the store does; absent if the trace does not have that */
  readonly part: Span | undefined;
  /** Called when all was read. @param looked entries that were read. @param count items of the list */
  done(looked: number, count: number): void;
  /** Called when no more will be read. */
  end(): void;
}

/** The metadata of a list that are known once its items are read. */
export interface ListEnd {
  readonly continue: string;
  readonly remainingItemCount: number | undefined;
}

/** A list of one snapshot, which `slices` reads. */
export class ObjectList {
  readonly revision: number;
  readonly #store: ResourceStore;
  readonly #storage: Storage;
  readonly #identity: Identity;
  readonly #selection: Selection;
  readonly #limit: number;
  readonly #start: string;
  readonly #end: string;
  /** the prefix of the resource's keys, or of a namespace's: keys in continue tokens are relative to it */
  readonly #scope: string;
  /** makes the error for a list whose snapshot is compacted */
  readonly #tooOld: () => StatusError;
  readonly #waiting: Waiting | undefined;
  readonly #reading: ListReading | undefined;
  #looked = 0;
  #count = 0;
  #outcome: ListEnd = { continue: '', remainingItemCount: undefined };

  private constructor(parts: {
    revision: number;
    store: ResourceStore;
    storage: Storage;
    identity: Identity;
    selection: Selection;
    limit: number;
    start: string;
    end: string;
    scope: string;
    tooOld: () => StatusError;
    waiting: Waiting | undefined;
    reading: ListReading | undefined;
  }) {
    this.revision = parts.revision;
    this.#store = parts.store;
    this.#storage = parts.storage;
    this.#identity = parts.identity;
    this.#selection = parts.selection;
    this.#limit = parts.limit;
    this.#start = parts.start;
    this.#end = parts.end;
    this.#scope = parts.scope;
    this.#tooOld = parts.tooOld;
    this.#waiting = parts.waiting;
    this.#reading = parts.reading;
  }

  /** Chooses the snapshot of the store from which the list is read. @throws StatusError BadRequest, Expired, Timeout */
  static async open(store: ResourceStore, storage: Storage, identity: Identity, request: ListRequest): Promise<ObjectList> {
    const { selection } = request;
    const one = selection.name !== undefined && (request.namespace !== '' || store.resource.data.scope === 'Cluster');
    const prefix = store.prefix(request.namespace);
    let start = prefix;
    let end = prefixEnd(prefix);
    let revision: number;
    if (request.continue !== '') {
      const point = continuePoint(request, storage, identity);
      revision = point.revision < 0 ? storage.currentRevision() : point.revision;
      start = prefix + point.start;
    } else revision = await snapshotRevision(storage, request, store.resource.data.watchCache);
    const place = start.slice(prefix.length);
    const tooOld = (): StatusError => expired(request, place, identity);
    if (revision < storage.compactedRevision()) throw tooOld();
    if (one) {
      const key = store.key(request.namespace, selection.name as string);
      if (key >= start) start = key;
      end = `${key}\0`;
    }
    // A name that is too long for a key selects nothing: the range is empty then.
    if (Buffer.byteLength(start) > MAX_KEY_BYTES + 1 || Buffer.byteLength(end) > MAX_KEY_BYTES + 1) start = end = store.prefix('');
    return new ObjectList({
      revision,
      store,
      storage,
      identity,
      selection,
      limit: request.resourceVersion === '0' && request.continue === '' && store.resource.data.watchCache ? 0 : request.limit,
      start,
      end,
      scope: prefix,
      tooOld,
      waiting: store.converts ? request.waiting : undefined,
      reading: request.reading,
    });
  }

  /** Whether the list may end before its last item. */
  get limited(): boolean {
    return this.#limit > 0;
  }

  /** Whether the list has all objects of its range. */
  get everything(): boolean {
    return this.#selection.everything;
  }

  /** The number of items so far. */
  get count(): number {
    return this.#count;
  }

  /** The number of entries that were read so far. */
  get looked(): number {
    return this.#looked;
  }

  /** Known once `slices` has ended. */
  get outcome(): ListEnd {
    return this.#outcome;
  }

  /**
   * Gives `taker` each selected entry, in the order of keys. The entry and its value are valid during the call, which must not call the store. `nextSlice`
   * runs the result, slice by slice.
   * @throws StatusError Expired when the snapshot is compacted while it is read
   */
  slices(taker: EntryTaker): Slices {
    const slices = this.#store.converts ? this.#convertedSlices(taker) : this.#storedSlices(taker);
    return this.#reading === undefined ? slices : this.#told(slices, this.#reading);
  }

  *#told(slices: Slices, reading: ListReading): Slices {
    this.#looked = 0;
    yield* slices;
    reading.done(this.#looked, this.#count);
  }

  /** Ends the part of the trace. It must be called when no more of the list will be read. */
  close(): void {
    this.#reading?.end();
  }

  *#storedSlices(taker: EntryTaker): Slices {
    const namespaced = this.#store.resource.data.scope === 'Namespaced';
    const prefix = this.#store.prefix('').slice(0, -1);
    const options = { start: this.#start, end: this.#end, atRevision: this.revision, requirements: this.#selection.terms };
    const scan = this.#read(() => this.#storage.scan(options));
    let taken = 0;
    let end: string | undefined;
    for (;;) {
      const deadline = performance.now() + SLICE_MILLISECONDS;
      let looked = 0;
      let bytes = 0;
      let clock = CLOCK_BYTES;
      let waiting: Entry | undefined;
      const visit = (entry: Entry): boolean => {
        looked++;
        if (this.#selects(entry, prefix, namespaced)) {
          taken++;
          if (taker.prepared?.isFor(entry) === true) waiting = { ...entry, value: Buffer.from(entry.value) };
          else bytes += taker.add(entry);
          if (taken === this.#limit) {
            end = `${entry.key}\0`;
            return false;
          }
        }
        if (waiting !== undefined || looked >= SLICE_ENTRIES || bytes >= SLICE_BYTES) return false;
        if (looked % CLOCK_ENTRIES !== 0 && bytes < clock) return true;
        clock = bytes + CLOCK_BYTES;
        return performance.now() < deadline;
      };
      const more = this.#read(() => scan.next(visit));
      this.#count = taken;
      this.#looked += looked;
      if (waiting !== undefined) yield* added(waiting, taker);
      if (end !== undefined) return this.#finish(end);
      if (!more) return;
      yield;
    }
  }

  /** Reads a slice, has it converted as a whole, which a webhook may do, and selects from the converted objects. */
  *#convertedSlices(taker: EntryTaker): Slices {
    const namespaced = this.#store.resource.data.scope === 'Namespaced';
    const prefix = this.#store.prefix('').slice(0, -1);
    const options = { start: this.#start, end: this.#end, atRevision: this.revision, requirements: [] };
    const scan = this.#read(() => this.#storage.scan(options));
    let taken = 0;
    for (;;) {
      // where everything is selected, objects behind the end of the page need no conversion
      const most = this.#limit > 0 && this.#selection.everything ? this.#limit - taken : SLICE_ENTRIES;
      const { entries, more } = this.#read(() => copiedSlice(scan, most));
      this.#looked += entries.length;
      const converting = this.#store.converted(
        entries.map(({ value }) => value),
        this.#waiting,
      );
      let values: readonly Buffer[] = [];
      if (converting instanceof Promise)
        yield converting.then((converted) => {
          values = converted;
        });
      else values = converting;
      for (const [index, { key, revision }] of entries.entries()) {
        const entry = { key, revision, value: values[index] as Buffer };
        if (!this.#selects(entry, prefix, namespaced)) continue;
        if (taker.prepared?.isFor(entry) === true) yield* added(entry, taker);
        else taker.add(entry);
        this.#count = ++taken;
        if (taken === this.#limit) return this.#finish(`${key}\0`);
      }
      if (!more) return;
      yield undefined;
    }
  }

  #selects(entry: Entry, prefix: string, namespaced: boolean): boolean {
    if (this.#selection.everything) return true;
    const { namespace, name } = splitKey(entry.key, prefix, namespaced);
    return this.#selection.matches(namespace, name, new StoredObject(entry.value));
  }

  /** @throws StatusError Expired */
  #read<T>(read: () => T): T {
    const part = this.#reading?.part;
    return this.#unlessCompacted(part === undefined ? read : () => withinPart(part, read));
  }

  /** @throws StatusError Expired */
  #unlessCompacted<T>(read: () => T): T {
    try {
      return read();
    } catch (error) {
      throw error instanceof RevisionCompacted ? this.#tooOld() : error;
    }
  }

  #finish(next: string): void {
    const rest = this.#unlessCompacted(() => this.#storage.count({ start: next, end: this.#end, atRevision: this.revision }));
    if (rest === 0) return;
    const point: ContinuePoint = { revision: this.revision, start: next.slice(this.#scope.length) };
    this.#outcome = {
      continue: encodeContinue(point, this.#identity.text(TOKEN_VERSION)),
      remainingItemCount: this.#selection.everything ? rest : undefined,
    };
  }
}

/** Makes something of the entries of a list. */
export interface EntryTaker {
  /** Adds an entry. @returns the number of bytes that it takes in the list */
  add(entry: Entry): number;
  /** absent if no entry needs preparation */
  readonly prepared?: Preparation | undefined;
}

/** Waits for something before some entries are added. A slice ends before each such entry. */
export interface Preparation {
  isFor(entry: Entry): boolean;
  /** Called with such an entry, whose value stays good. The entry is added next. */
  prepare(entry: Entry): Promise<void>;
}

function* added(entry: Entry, taker: EntryTaker): Generator<Promise<void>, void> {
  yield (taker.prepared as Preparation).prepare(entry);
  taker.add(entry);
}

/** Goes through a list, slice by slice. A promise that it yields is to be waited for before the next step. */
export type Slices = Generator<Promise<void> | undefined, void, void>;

/** Reads one more slice. @returns whether there may be another one; a promise where objects are converted first. @throws as `slices` */
export function nextSlice(slices: Slices): boolean | Promise<boolean> {
  const { done, value } = slices.next();
  if (done === true) return false;
  return value === undefined ? true : value.then(() => nextSlice(slices));
}

/** Copies one slice of entries, whose values stay good. @param most entries at most */
function copiedSlice(scan: Scan, most: number): { readonly entries: readonly Entry[]; readonly more: boolean } {
  const entries: Entry[] = [];
  let bytes = 0;
  const more = scan.next(({ key, revision, value }) => {
    entries.push({ key, revision, value: Buffer.from(value) });
    bytes += value.length;
    return bytes < SLICE_BYTES && entries.length < Math.min(most, SLICE_ENTRIES);
  });
  return { entries, more };
}

const TOKEN_VERSION = 'meta.${groupDomain}/v1';
const TOO_OLD = 'The resourceVersion for the provided list is too old.';

/** @throws StatusError BadRequest, for a wrong token, and for one of a revision that the store has not reached: another store has made it */
function continuePoint(request: ListRequest, storage: Storage, identity: Identity): ContinuePoint {
  const point = decodeContinue(request.continue, identity.text(TOKEN_VERSION));
  if (request.resourceVersion !== '' && request.resourceVersion !== '0')
    throw newBadRequest('specifying resource version is not allowed when using continue');
  if (point.revision > storage.currentRevision()) throw wrongRevision(identity.text(TOKEN_VERSION));
  return point;
}

async function snapshotRevision(storage: Storage, request: ListRequest, watchCache: boolean): Promise<number> {
  const wanted = parseResourceVersion(request.resourceVersion) ?? 0;
  if (wanted === 0) return storage.currentRevision();
  const exact = request.resourceVersionMatch === 'Exact' || (request.resourceVersionMatch === '' && request.limit > 0);
  if (!exact) {
    await waitUntilFresh(storage, wanted, watchCache);
    return storage.currentRevision();
  }
  // 1.32 answers 500 to a revision of the future. Here it is answered like one that is too old: neither can be read.
  const current = storage.currentRevision();
  if (typeof wanted === 'bigint' || wanted > current)
    throw newExpired(`The resourceVersion for the provided list is not there: ${wanted}, current: ${current}`);
  return wanted;
}

/** The error 410. Where a later page has lost its snapshot, the error has a token by which the list goes on with the objects of now. */
function expired(request: ListRequest, start: string, identity: Identity): StatusError {
  if (request.continue === '') return newExpired(TOO_OLD);
  const error = newExpired(
    'The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.',
  );
  const token = encodeContinue({ revision: -1, start }, identity.text(TOKEN_VERSION));
  return new StatusError({ ...error.status, metadata: { continue: token } });
}
