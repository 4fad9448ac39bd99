type CommitListener = (revision: number) => void;

/** The listeners of a store's commits, of whatever implementation. A function that is added twice is called twice. */
export class CommitListeners {
  readonly #all = new Set<{ readonly told: CommitListener }>();

  /** @returns stops it */
  add(told: CommitListener): () => void {
    const own = { told };
    this.#all.add(own);
    return () => void this.#all.delete(own);
  }

  /**
   * Calls all listeners. The error of one of them ends the process, or whatever hears of uncaught errors: the writer and the other listeners do not answer
   * for it.
   */
  tell(revision: number): void {
    for (const { told } of this.#all) {
      try {
        told(revision);
      } catch (error) {
        queueMicrotask(() => {
          throw error;
        });
      }
    }
  }

  clear(): void {
    this.#all.clear();
  }
}
