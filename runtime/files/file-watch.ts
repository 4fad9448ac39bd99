/** Follows a file that others write: what it holds now is handed on whenever it is another text than before. */
import { type FSWatcher, watch } from 'node:fs';
import path from 'node:path';
import { readFileText } from './file-text.ts';

export interface FileWatchOptions {
  readonly file: string;
  /** what the file held when it was read last */
  readonly text: string;
  /** milliseconds after which it is read at the latest, for file systems that tell nothing */
  readonly interval: number;
  /** gets the new text; one call at a time */
  readonly changed: (text: string) => Promise<void>;
  /** gets why the file could not be read, or what `changed` threw */
  readonly failed: (error: unknown) => void;
}

/** Milliseconds for a writer to be done; and in all, for others may write into the folder without pause. */
const SETTLING = 100;
const LONGEST_SETTLING = 1_000;

export class FileWatch {
  readonly #options: FileWatchOptions;
  readonly #timer: NodeJS.Timeout;
  readonly #watcher: FSWatcher | undefined;
  #text: string;
  #settling: NodeJS.Timeout | undefined;
  /** when the file is read at the latest, of `performance.now()`; undefined: nothing has been told since it was read */
  #settledBy: number | undefined;
  #reading: Promise<void> = Promise.resolve();

  constructor(options: FileWatchOptions) {
    this.#options = options;
    this.#text = options.text;
    this.#timer = setInterval(() => void this.read(), options.interval).unref();
    this.#watcher = this.#watchFolder();
  }

  /** Reads the file now, after a reading that is under way. */
  read(): Promise<void> {
    this.#reading = this.#reading.then(() => this.#readOnce());
    return this.#reading;
  }

  close(): void {
    clearInterval(this.#timer);
    clearTimeout(this.#settling);
    this.#watcher?.close();
  }

  /** The folder, for most writers put a new file, or a link to one, in the old one's place. */
  #watchFolder(): FSWatcher | undefined {
    try {
      const watcher = watch(path.dirname(this.#options.file), { persistent: false }, () => this.#settle());
      watcher.on('error', () => watcher.close());
      return watcher;
    } catch {
      return undefined;
    }
  }

  #settle(): void {
    const now = performance.now();
    this.#settledBy ??= now + LONGEST_SETTLING;
    clearTimeout(this.#settling);
    const settle = (): void => {
      this.#settledBy = undefined;
      void this.read();
    };
    this.#settling = setTimeout(settle, Math.min(SETTLING, Math.max(0, this.#settledBy - now))).unref();
  }

  async #readOnce(): Promise<void> {
    try {
      const text = await readFileText(this.#options.file);
      if (text === this.#text) return;
      this.#text = text;
      await this.#options.changed(text);
    } catch (error) {
      this.#options.failed(error);
    }
  }
}
