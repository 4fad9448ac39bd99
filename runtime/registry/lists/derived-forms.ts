/**
 * What was made of stored objects for one kind of client (protobuf, table rows, another version), kept by revision, for an object at one
 * revision never changes. Objects that are listed one after the other share a run. Two generations within a budget of bytes: what was not
 * asked for while the young one filled up is dropped.
 */
export interface CachedRun {
  /** the revisions of its objects in their order; for objects that share a revision with others, the result of `versionId` */
  readonly revisions: readonly number[];
  /** about how many bytes it holds */
  readonly size: number;
}

/** Bytes of the heap that a run needs besides its own, and for each of its objects. */
const RUN_BYTES = 200;
const ENTRY_BYTES = 32;
/** A run of which fewer than one in so many objects are still found in it is dropped. */
const WORN = 4;

export class DerivedForms {
  readonly #generationBytes: number;
  /** the views by their owners, together with which they are garbage collected, and by their names */
  readonly #views = new WeakMap<object, Map<string, RunView<CachedRun>>>();
  /** the views that hold something, unless they were garbage collected */
  readonly #filled = new Set<WeakRef<RunView<CachedRun>>>();
  readonly #account: Account;
  #used = 0;

  /** @param budget the bytes that all forms together may take; with 0, nothing is kept */
  constructor(budget: number) {
    this.#generationBytes = budget / 2;
    this.#account = {
      generationBytes: this.#generationBytes,
      take: (view, bytes) => this.#take(view, bytes),
      give: (bytes) => this.#give(bytes),
    };
  }

  /**
   * The runs of one form.
   * @param owner what the form is of: another one has forms of its own
   * @param name says all that the form depends on besides the owner and the revision
   */
  of<Run extends CachedRun>(owner: object, name: string): RunView<Run> {
    let views = this.#views.get(owner);
    if (views === undefined) {
      views = new Map();
      this.#views.set(owner, views);
    }
    let view = views.get(name);
    if (view === undefined) {
      view = new RunView(this.#account);
      views.set(name, view);
    }
    return view as unknown as RunView<Run>;
  }

  #take(view: RunView<CachedRun>, bytes: number): boolean {
    if (bytes > this.#generationBytes) return false;
    this.#used += bytes;
    if (this.#used > this.#generationBytes) this.#turnOver(bytes);
    this.#filled.add(view.reference);
    return true;
  }

  #give(bytes: number): void {
    this.#used = Math.max(0, this.#used - bytes);
  }

  #turnOver(used: number): void {
    this.#used = used;
    for (const reference of this.#filled) if (reference.deref()?.age() !== false) this.#filled.delete(reference);
  }
}

/** What views may do with the budget. */
interface Account {
  readonly generationBytes: number;
  /** Counts bytes of the young generation, which may age all views. @returns false for what is too large to be kept */
  take(view: RunView<CachedRun>, bytes: number): boolean;
  /** Gives back bytes that left the young generation before it aged. */
  give(bytes: number): void;
}

/** Runs by the revisions of their objects. An object is found in the run that was added last. */
export class RunView<Run extends CachedRun> {
  /** the one by which it is known without being kept */
  readonly reference: WeakRef<RunView<CachedRun>> = new WeakRef(this as unknown as RunView<CachedRun>);
  readonly #account: Account;
  #young = new Map<number, Run>();
  #old = new Map<number, Run>();
  /** of each run in the young generation, the number of its objects that are found in it */
  #found = new Map<Run, number>();

  constructor(account: Account) {
    this.#account = account;
  }

  /** bytes that one list may add before it pushes out what it has added itself */
  get room(): number {
    return this.#account.generationBytes;
  }

  get(revision: number): Run | undefined {
    const young = this.#young.get(revision);
    if (young !== undefined) return young;
    const old = this.#old.get(revision);
    if (old !== undefined) this.#keep(old);
    return old;
  }

  add(run: Run): void {
    if (!this.#account.take(this as unknown as RunView<CachedRun>, sizeOf(run))) return;
    this.#found.set(run, run.revisions.length);
    for (const revision of run.revisions) {
      const before = this.#young.get(revision);
      this.#young.set(revision, run);
      if (before !== undefined && before !== run) this.#leave(before);
    }
  }

  /** Takes an old run over, for those of its objects that no newer one has. */
  #keep(run: Run): void {
    if (!this.#account.take(this as unknown as RunView<CachedRun>, sizeOf(run))) return;
    let found = 0;
    for (const revision of run.revisions) {
      if (this.#young.has(revision)) continue;
      this.#young.set(revision, run);
      found++;
    }
    this.#found.set(run, found);
  }

  /** One object less is found in the run. */
  #leave(run: Run): void {
    const found = (this.#found.get(run) ?? 0) - 1;
    if (found * WORN >= run.revisions.length) {
      this.#found.set(run, found);
      return;
    }
    if (!this.#found.delete(run)) return;
    this.#account.give(sizeOf(run));
    for (const revision of run.revisions) if (this.#young.get(revision) === run) this.#young.delete(revision);
  }

  /** @returns whether nothing is left */
  age(): boolean {
    this.#old = this.#young;
    this.#young = new Map();
    this.#found = new Map();
    return this.#old.size === 0;
  }
}

const sizeOf = (run: CachedRun): number => run.size + run.revisions.length * ENTRY_BYTES + RUN_BYTES;
