/**
 * Items of lists that are under way at the same time: what one has put together is sent by those that come to the same objects while it is
 * there. Nobody waits for anybody: a list that is too far behind, or ahead of all, puts its items together itself.
 */
import type { Preparation } from '../../registry/lists/list.ts';
import { type Entry, versionId } from '../../storage/storage.ts';
import { CAPACITY, Chunks, type HeldPart } from './chunks.ts';

/** Runs that are there for others. */
const RUNS = 16;
/** Bytes that a run has at least, where the list goes on. */
const RUN_BYTES = 192 * 1024;
/** More bytes than any slice has: with a run the slice ends, for the others to find it. */
const SLICE_END = 2 * CAPACITY;
const COMMA = 0x2c;

/** Consecutive items, each with a comma before it. */
interface SharedRun {
  readonly name: string;
  readonly part: HeldPart;
  readonly revisions: readonly number[];
  /** the offset behind the bytes of each item */
  readonly ends: readonly number[];
}

/** The latest runs of all lists under way. */
export class SharedRuns {
  readonly #runs = new Set<SharedRun>();
  /** the runs by the name of the form, then by the revision of the object, or by the number that it has instead of a revision which it shares */
  readonly #found = new Map<string, Map<number, SharedRun>>();

  get(name: string, revision: number): SharedRun | undefined {
    return this.#found.get(name)?.get(revision);
  }

  add(run: SharedRun): void {
    run.part.hold();
    this.#runs.add(run);
    let found = this.#found.get(run.name);
    if (found === undefined) {
      found = new Map();
      this.#found.set(run.name, found);
    }
    for (const revision of run.revisions) found.set(revision, run);
    if (this.#runs.size > RUNS) this.#drop(this.#runs.values().next().value as SharedRun);
  }

  /** Call when no two lists are under way any more. */
  clear(): void {
    for (const run of this.#runs) this.#drop(run);
  }

  #drop(run: SharedRun): void {
    this.#runs.delete(run);
    const found = this.#found.get(run.name) as Map<number, SharedRun>;
    for (const revision of run.revisions) if (found.get(revision) === run) found.delete(revision);
    if (found.size === 0) this.#found.delete(run.name);
    run.part.sent();
  }
}

export interface SharedItemsOptions {
  readonly shared: SharedRuns;
  /** a text that contains everything which items depend on besides the revision */
  readonly name: string;
  /** collects the bytes of the list */
  readonly chunks: Chunks;
  /** Tells whether other lists are under way. */
  isOneOfMany(): boolean;
  /** prepares entries before `itemOf` is called for them */
  readonly prepared: Preparation;
  /** Makes an item. @returns its pieces, which are valid until the next call */
  itemOf(entry: Entry): readonly Buffer[];
}

export class SharedItems {
  readonly #options: SharedItemsOptions;
  readonly #built = new Chunks(true);
  #revisions: number[] = [];
  #ends: number[] = [];
  /** the run that the list follows, and the places in it of the first item and behind the last one that the list has */
  #run: SharedRun | undefined;
  #from = 0;
  #next = 0;
  #first = true;

  constructor(options: SharedItemsOptions) {
    this.#options = options;
  }

  /** What another list has put together needs no value, which would be read from the store. */
  readonly prepared: Preparation = {
    isFor: (entry) => !this.#isThere(entry) && this.#options.prepared.isFor(entry),
    prepare: (entry) => this.#options.prepared.prepare(entry),
  };

  #isThere(entry: Entry): boolean {
    const revision = versionId(entry);
    if (this.#run?.revisions[this.#next] === revision) return true;
    const { shared, name, isOneOfMany } = this.#options;
    return isOneOfMany() && shared.get(name, revision) !== undefined;
  }

  /** @returns bytes that were made; SLICE_END with the last item of a run */
  add(entry: Entry): number {
    const revision = versionId(entry);
    if (this.#run !== undefined) {
      if (this.#run.revisions[this.#next] === revision) return this.#goOn(this.#run);
      this.#leave(this.#run);
    }
    const { shared, name, isOneOfMany } = this.#options;
    if (!isOneOfMany()) return this.#addAlone(this.#options.itemOf(entry));
    const found = shared.get(name, revision);
    return found === undefined ? this.#build(entry) : this.#follow(found, revision);
  }

  /** Hands over what it still holds. */
  end(): void {
    if (this.#run !== undefined) this.#leave(this.#run);
    this.#seal();
  }

  #addAlone(pieces: readonly Buffer[]): number {
    this.#seal();
    const { chunks } = this.#options;
    const before = chunks.length;
    if (!this.#first) chunks.byte(COMMA);
    for (const piece of pieces) chunks.bytes(piece);
    this.#first = false;
    return chunks.length - before;
  }

  #follow(run: SharedRun, revision: number): number {
    // a run that is added may be one too many, and this one the oldest
    run.part.hold();
    this.#seal();
    this.#run = run;
    this.#from = run.revisions.indexOf(revision);
    this.#next = this.#from;
    return this.#goOn(run);
  }

  #goOn({ revisions }: SharedRun): number {
    this.#next++;
    return this.#next === revisions.length ? SLICE_END : 0;
  }

  #leave(run: SharedRun): void {
    this.#run = undefined;
    this.#take(run, this.#from, this.#next);
  }

  /** Adds items of a run that is held, and lets go of it where they are copied. */
  #take({ part, revisions, ends }: SharedRun, from: number, to: number): void {
    const { chunks } = this.#options;
    if (!this.#first && to - from === revisions.length) return chunks.part(part);
    const start = from === 0 ? 0 : (ends[from - 1] as number);
    chunks.bytes(part.bytes, this.#first ? start + 1 : start, ends[to - 1]);
    this.#first = false;
    part.sent();
  }

  #build(entry: Entry): number {
    const pieces = this.#options.itemOf(entry);
    let length = 1;
    for (const piece of pieces) length += piece.length;
    if (length > CAPACITY) return this.#addAlone(pieces);
    if (this.#built.length + length > CAPACITY) this.#seal();
    const built = this.#built;
    built.byte(COMMA);
    for (const piece of pieces) built.bytes(piece);
    this.#revisions.push(versionId(entry));
    this.#ends.push(built.length);
    if (built.length < RUN_BYTES) return length;
    this.#seal();
    return SLICE_END;
  }

  /** Makes a run of what was built. */
  #seal(): void {
    if (this.#revisions.length === 0) return;
    const [part] = this.#built.rest() as [HeldPart];
    this.#built.clear();
    const run = { name: this.#options.name, part, revisions: this.#revisions, ends: this.#ends };
    this.#revisions = [];
    this.#ends = [];
    part.hold();
    this.#options.shared.add(run);
    this.#take(run, 0, run.revisions.length);
  }
}
