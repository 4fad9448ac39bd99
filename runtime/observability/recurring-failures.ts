/** Remembers failures that recur, so that they are logged once for each reason and not for each attempt. */
export class RecurringFailures {
  /** the reason of the last failure, by what has failed */
  readonly #reasons = new Map<string, string>();

  /** Notes a failure. @param what names what has failed. @returns whether its last failure had another reason, or there was none */
  isNew(what: string, error: unknown): boolean {
    const reason = String(error);
    if (this.#reasons.get(what) === reason) return false;
    this.#reasons.set(what, reason);
    return true;
  }

  /** Notes a success, so that the next failure is new, whatever its reason. */
  succeeded(what: string): void {
    this.#reasons.delete(what);
  }
}
