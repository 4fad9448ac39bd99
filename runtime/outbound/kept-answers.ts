/**
 * Answers of another server, each kept for a while by the question; the oldest make room for new ones. Their time is that of `performance.now()`: a machine's clock that
 * is set back must not make a decision hold for longer.
 */

export class KeptAnswers<T> {
  readonly #limit: number;
  readonly #entries = new Map<string, { readonly answer: T; readonly until: number }>();

  /** @param limit answers at most */
  constructor(limit: number) {
    this.#limit = limit;
  }

  get(question: string): T | undefined {
    const entry = this.#entries.get(question);
    if (entry === undefined || performance.now() < entry.until) return entry?.answer;
    this.#entries.delete(question);
    return undefined;
  }

  /** @param ttl milliseconds; nothing is kept for 0 and less */
  set(question: string, answer: T, ttl: number): void {
    if (ttl <= 0) return;
    this.#entries.delete(question);
    this.#entries.set(question, { answer, until: performance.now() + ttl });
    if (this.#entries.size <= this.#limit) return;
    const [oldest] = this.#entries.keys();
    this.#entries.delete(oldest as string);
  }
}
