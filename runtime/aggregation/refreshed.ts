/** Something that another server says. It is asked for when somebody wants it, and again when it is old. */

/** What was heard last. */
export type Outcome<T> = { readonly value: T; readonly error?: undefined } | { readonly value?: undefined; readonly error: Error };

/** Milliseconds for which an answer counts, as in 1.32, and for which a failure does. */
const FRESH = 60_000;
const FAILED = 5_000;
/** Milliseconds up to which what is no longer fresh is given, while it is asked for anew. */
const OLD = 300_000;

export class Refreshed<T> {
  readonly #load: (before: T | undefined) => Promise<T>;
  readonly #now: () => number;
  #outcome: Outcome<T> | undefined;
  #heard = 0;
  #loading: Promise<Outcome<T>> | undefined;
  /** another number each time that what was heard counts no more */
  #generation = 0;

  /** @param load bounded in time; gets what it gave last */
  constructor(load: (before: T | undefined) => Promise<T>, now: () => number = () => performance.now()) {
    this.#load = load;
    this.#now = now;
  }

  /** At once where it is known. The promise never rejects. */
  get(): Outcome<T> | Promise<Outcome<T>> {
    const outcome = this.#outcome;
    if (outcome === undefined) return this.#reload();
    const age = this.#now() - this.#heard;
    if (age < (outcome.error === undefined ? FRESH : FAILED)) return outcome;
    const loading = this.#reload();
    return age < OLD ? outcome : loading;
  }

  /** Whoever wants it next waits for a new answer. */
  invalidate(): void {
    this.#generation++;
    this.#loading = undefined;
    this.#heard = Number.NEGATIVE_INFINITY;
  }

  #reload(): Promise<Outcome<T>> {
    this.#loading ??= this.#loadOnce(this.#generation);
    return this.#loading;
  }

  async #loadOnce(generation: number): Promise<Outcome<T>> {
    const heard = this.#now();
    const outcome = await this.#load(this.#outcome?.value).then(
      (value): Outcome<T> => ({ value }),
      (error: Error): Outcome<T> => ({ error }),
    );
    if (generation === this.#generation) {
      this.#outcome = outcome;
      this.#heard = heard;
      this.#loading = undefined;
    }
    return outcome;
  }
}
