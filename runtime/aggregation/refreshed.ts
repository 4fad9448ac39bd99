/** A cached answer of another server. It is loaded when somebody wants it, and again when it has become old. */

/** The last answer or failure. */
export type Outcome<T> = { readonly value: T; readonly error?: undefined } | { readonly value?: undefined; readonly error: Error };

/** Milliseconds for which an answer is fresh, as in 1.32, and for which a failure is. */
const FRESH = 60_000;
const FAILED = 5_000;
/** Milliseconds up to which an old answer is still given while a new one is loaded. */
const OLD = 300_000;

export class Refreshed<T> {
  readonly #load: (before: T | undefined) => Promise<T>;
  readonly #now: () => number;
  #outcome: Outcome<T> | undefined;
  #heard = 0;
  #loading: Promise<Outcome<T>> | undefined;
  /** grows with each `invalidate`, so that loads from before it do not count */
  #generation = 0;

  /** @param load must end within a limited time; gets its last result */
  constructor(load: (before: T | undefined) => Promise<T>, now: () => number = () => performance.now()) {
    this.#load = load;
    this.#now = now;
  }

  /** No promise if the answer is known. The promise never rejects. */
  get(): Outcome<T> | Promise<Outcome<T>> {
    const outcome = this.#outcome;
    if (outcome === undefined) return this.#reload();
    const age = this.#now() - this.#heard;
    if (age < (outcome.error === undefined ? FRESH : FAILED)) return outcome;
    const loading = this.#reload();
    return age < OLD ? outcome : loading;
  }

  /** Drops the answer: the next `get` waits for a new one. */
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
