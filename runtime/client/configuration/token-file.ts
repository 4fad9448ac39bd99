/** A token in a file that somebody else renews. */
import { ConfigurationError } from './configuration.ts';
import { readCredentialFile } from './credential-file.ts';
import { systemText } from './system-text.ts';

/** Milliseconds after which the file is read again. The kubelet renews a token when a fifth of its life is left, so that this is soon enough. */
const FRESH = 50_000;

export class TokenFile {
  readonly #file: string;
  readonly #now: () => number;
  #token: string | undefined;
  #readAt = Number.NEGATIVE_INFINITY;

  /** @param now returns milliseconds of a clock that never goes back */
  constructor(file: string, now: () => number = () => performance.now()) {
    this.#file = file;
    this.#now = now;
  }

  /** If the file cannot be read, the former token stays. @throws ConfigurationError if there is no former token */
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

  /** Makes the next `get` read the file. */
  expire(): void {
    this.#readAt = Number.NEGATIVE_INFINITY;
  }
}
