import type { ReadDefinition, StoredDefinition } from './stored-definition.ts';

/** The milliseconds for which a long definition is remembered after somebody has asked for it. It may take 30 MB of memory. */
const REMEMBERED = 1_000;

/**
 * Remembers the long definition that was read last. What is made of each version needs all of the definition: without this, documents of many versions would take
 * time quadratic in their number. Short definitions are read again.
 */
export class LastReading {
  #last: { readonly of: StoredDefinition; readonly reading: Promise<ReadDefinition> } | undefined;
  #forgetting: NodeJS.Timeout | undefined;

  /** @returns what the caller must not change, for others get the same. @throws RevisionCompacted as `StoredDefinition.read` */
  read(of: StoredDefinition): Promise<ReadDefinition> {
    if (this.#last?.of === of) {
      if (this.#forgetting !== undefined) this.#forgetLater();
      return this.#last.reading;
    }
    this.#forget();
    const last = { of, reading: of.read() };
    this.#last = last;
    const isRead = (isMuchWork: boolean): void => {
      if (this.#last !== last) return;
      if (isMuchWork) this.#forgetLater();
      else this.#forget();
    };
    last.reading.then(
      ({ isMuchWork }) => isRead(isMuchWork),
      () => isRead(false),
    );
    return last.reading;
  }

  #forgetLater(): void {
    clearTimeout(this.#forgetting);
    this.#forgetting = setTimeout(() => this.#forget(), REMEMBERED).unref();
  }

  #forget(): void {
    clearTimeout(this.#forgetting);
    this.#forgetting = undefined;
    this.#last = undefined;
  }
}
