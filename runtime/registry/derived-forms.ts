/**
 * What was made of stored objects for one kind of client (protobuf, table rows, another version), kept by revision, for an object at one
 * revision never changes. Two generations within a budget of bytes: what was not asked for while the young one filled up is dropped.
 */
export interface CachedForm {
  /** bytes that it holds, about */
  readonly size: number;
}

/** Bytes of the heap that an entry needs besides its own. */
const ENTRY_BYTES = 200;

export class DerivedForms {
  readonly #generationBytes: number;
  readonly #views = new Map<string, View<CachedForm>>();
  #used = 0;

  /** @param budget bytes that all forms may take together; 0: nothing is kept */
  constructor(budget: number) {
    this.#generationBytes = budget / 2;
  }

  /**
   * The forms of one name. Do not keep it beyond a request.
   * @param name says all that the form depends on besides the revision
   */
  of<Form extends CachedForm>(name: string): FormView<Form> {
    let view = this.#views.get(name);
    if (view === undefined) {
      view = new View(this.#count);
      this.#views.set(name, view);
    }
    return view as unknown as FormView<Form>;
  }

  readonly #count = (size: number): boolean => {
    if (size + ENTRY_BYTES > this.#generationBytes) return false;
    this.#used += size + ENTRY_BYTES;
    if (this.#used > this.#generationBytes) this.#turnOver(size + ENTRY_BYTES);
    return true;
  };

  #turnOver(used: number): void {
    this.#used = used;
    for (const [name, view] of this.#views) if (!view.age()) this.#views.delete(name);
  }
}

export interface FormView<Form> {
  get(revision: number): Form | undefined;
  set(revision: number, form: Form): void;
}

class View<Form extends CachedForm> implements FormView<Form> {
  readonly #count: (size: number) => boolean;
  #young = new Map<number, Form>();
  #old = new Map<number, Form>();

  constructor(count: (size: number) => boolean) {
    this.#count = count;
  }

  get(revision: number): Form | undefined {
    const young = this.#young.get(revision);
    if (young !== undefined) return young;
    const old = this.#old.get(revision);
    if (old !== undefined) this.set(revision, old);
    return old;
  }

  set(revision: number, form: Form): void {
    if (this.#count(form.size)) this.#young.set(revision, form);
  }

  /** @returns whether anything is left */
  age(): boolean {
    this.#old = this.#young;
    this.#young = new Map();
    return this.#old.size > 0;
  }
}
