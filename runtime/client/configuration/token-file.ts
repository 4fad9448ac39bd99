/** A token in a file, which somebody else renews. */
import { ConfigurationError } from './configuration.ts';
import { readCredentialFile } from './credential-file.ts';
import { systemText } from './system-text.ts';

/** Milliseconds after which the file is read again: files are renewed when a fifth of the token's life is left, an hour at least. */
const FRESH = 50_000;

export class TokenFile {
  readonly #file: string;
  readonly #now: () => number;
  #token: string | undefined;
  #readAt = Number.NEGATIVE_INFINITY;

  /** @param now milliseconds of a clock that only goes forward */
  constructor(file: string, now: () => number = () => performance.now()) {
    this.#file = file;
    this.#now = now;
  }

  /** A file that cannot be read leaves the token that there was. @throws ConfigurationError where there was none */
  get(): string {
    if (this.#token !== undefined && this.#now() - this.#readAt < FRESH) return this.#token;
    try {
      const token = readCredentialFile(this.#file).trim();
      if (token === '') throw new ConfigurationError(`read empty token from file ${JSON.stringify(this.#file)}`);
      this.#token = token;
      this.#readAt = this.#now();
    } catch (error) {
      if (this.#token === undefined)
        throw error instanceof ConfigurationError
          ? error
          : new ConfigurationError(`failed to read token file ${JSON.stringify(this.#file)}: ${systemText(error, this.#file)}`, {
              cause: error,
            });
    }
    return this.#token as string;
  }

  /** The next one is read from the file. */
  expire(): void {
    this.#readAt = Number.NEGATIVE_INFINITY;
  }
}
