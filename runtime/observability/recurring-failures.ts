/** Remembers failures that recur, so that they are logged once for each reason and not for each attempt. */
export class RecurringFailures {
  /** the reason of the last failure, by what has failed */
  readonly #reasons = new Map<string, string>();

  /** @returns whether the last failure had another reason, or there was none */
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
