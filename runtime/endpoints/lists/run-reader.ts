/**
 * From the entries of a list to what was made of them: runs of objects that stand one after the other in the list as they did in one before
 * are taken as they are; what changed in between is made anew, and joined with its neighbours to runs for the lists that follow.
 */
import type { RunView } from '../../registry/lists/derived-forms.ts';
import type { Preparation } from '../../registry/lists/list.ts';
import { type Entry, versionId } from '../../storage/storage.ts';
import { FormRun, Scratch, Span } from './form-run.ts';
import type { ItemForms } from './item-forms.ts';

/** Bytes that a new run has at least, where the list goes on. */
const RUN_BYTES = 192 * 1024;
/** Pieces of runs up to which they are left apart: a list that begins and ends within runs of others has two. */
const FEW = 2;

export interface RunReaderOptions {
  readonly runs: RunView<FormRun>;
  /** make what is kept of entries */
  readonly forms: Pick<ItemForms, 'make' | keyof Preparation>;
  /** whether the list's neighbours are those that the next list has: it selects all objects */
  readonly joins: boolean;
  /** takes what was found and made, in the order of the list, while it is called: the bytes of what is not kept last no longer */
  take(span: Span): void;
}

export class RunReader implements Preparation {
  readonly #options: RunReaderOptions;
  /** bytes that the list may still add to what is kept */
  #room: number;
  #run: FormRun | undefined;
  #from = 0;
  #next = 0;
  /** not taken yet, since they may be joined */
  #pieces: Span[] = [];
  #pieceBytes = 0;
  /** the latest of the pieces, or what is to be one, that was made for this list and is to be kept */
  #made: FormRun | undefined;
  readonly #scratch = new Scratch(RUN_BYTES);

  constructor(options: RunReaderOptions) {
    this.#options = options;
    this.#room = options.runs.room;
  }

  /** the run that has the entry which was added last */
  get run(): FormRun {
    return this.#run as FormRun;
  }

  /** its place in the run */
  get index(): number {
    return this.#next - 1;
  }

  isFor(entry: Entry): boolean {
    const { runs, forms } = this.#options;
    // what is there already needs no value, which would be read from the store
    const revision = versionId(entry);
    return this.#run?.revisions[this.#next] !== revision && runs.get(revision) === undefined && forms.isFor(entry);
  }

  prepare(entry: Entry): Promise<void> {
    return this.#options.forms.prepare(entry);
  }

  /** @returns bytes that were made of the entry: none where they were there already */
  add(entry: Entry): number {
    const revision = versionId(entry);
    if (this.#run !== undefined && this.#run.revisions[this.#next] === revision) {
      this.#next++;
      return 0;
    }
    this.#close();
    const found = this.#options.runs.get(revision);
    if (found !== undefined) {
      this.#begin(found, found.revisions.indexOf(revision));
      return 0;
    }
    const made = this.#make(entry);
    this.#begin(made, 0);
    return made.bytes.length;
  }

  /** What is made of neighbours is kept when they are joined. */
  #make(entry: Entry): FormRun {
    const { runs, joins, forms } = this.#options;
    const keeps = this.#room > 0;
    // those before were taken
    if (!joins) this.#scratch.clear();
    const pieces = forms.make(entry);
    const run = keeps && !joins ? FormRun.ofOne(versionId(entry), pieces) : this.#scratch.runOf(versionId(entry), pieces);
    if (keeps && joins) this.#made = run;
    else if (keeps) runs.add(run);
    this.#room -= run.bytes.length;
    return run;
  }

  /** Hands over all that is left. */
  end(): void {
    this.#close();
    this.#settle();
  }

  #begin(run: FormRun, index: number): void {
    this.#run = run;
    this.#from = index;
    this.#next = index + 1;
  }

  #close(): void {
    if (this.#run === undefined) return;
    const span = new Span(this.#run, this.#from, this.#next);
    this.#run = undefined;
    const { length } = span;
    if (!this.#options.joins) this.#options.take(span);
    else if (span.isWhole && length >= RUN_BYTES / 2 && span.run !== this.#made) {
      this.#settle();
      this.#options.take(span);
    } else {
      this.#pieces.push(span);
      this.#pieceBytes += length;
      if (this.#pieceBytes >= RUN_BYTES) this.#settle();
    }
  }

  #settle(): void {
    const pieces = this.#pieces;
    if (this.#made !== undefined || (this.#room > 0 && pieces.length > FEW)) {
      const run = FormRun.packed(pieces);
      this.#options.runs.add(run);
      this.#options.take(new Span(run, 0, run.revisions.length));
    } else for (const piece of pieces) this.#options.take(piece);
    this.#pieces = [];
    this.#pieceBytes = 0;
    this.#made = undefined;
    this.#scratch.clear();
  }
}
