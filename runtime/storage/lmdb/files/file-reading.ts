/** Reads a file to its end, by steps, for what its disk cannot read: who maps it into memory, as LMDB does, is ended by that without a word. */
import { closeSync, openSync, readSync } from 'node:fs';
import type { StoreVerification } from '../../storage.ts';

const CHUNK = 256 * 1024;
const chunk = Buffer.allocUnsafeSlow(CHUNK);

export class FileReading implements StoreVerification {
  readonly #path: string;
  readonly #found: (found: string) => void;
  #at = 0;

  /** @param found hears of each place that cannot be read */
  constructor(path: string, found: (found: string) => void) {
    this.#path = path;
    this.#found = found;
  }

  get counts(): Readonly<Record<string, number>> {
    return { bytes: this.#at };
  }

  step(milliseconds: number): boolean {
    const deadline = performance.now() + milliseconds;
    const descriptor = openSync(this.#path, 'r');
    try {
      do {
        const read = this.#read(descriptor);
        this.#at += read;
        if (read === 0) return false;
      } while (performance.now() < deadline);
      return true;
    } finally {
      closeSync(descriptor);
    }
  }

  #read(descriptor: number): number {
    try {
      return readSync(descriptor, chunk, 0, CHUNK, this.#at);
    } catch (error) {
      this.#found(`from byte ${this.#at} on, its disk cannot read some of the next ${CHUNK} (${(error as NodeJS.ErrnoException).code})`);
      return CHUNK;
    }
  }
}
