/** What goes on failing: it is worth saying once for each reason, not once for each attempt. */
export class RecurringFailures {
  /** by what failed the last time, with why */
  readonly #reasons = new Map<string, string>();

  /** @returns whether it did not fail for that reason the last time */
  isNew(what: string, error: unknown): boolean {
    const reason = String(error);
    if (this.#reasons.get(what) === reason) return false;
    this.#reasons.set(what, reason);
    return true;
  }

  succeeded(what: string): void {
    this.#reasons.delete(what);
  }
}
