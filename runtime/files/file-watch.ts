/** Follows a file that others write: what it holds now is handed on whenever it is another text than before. */
import { type FSWatcher, watch } from 'node:fs';
import path from 'node:path';
import { readFileText } from './file-text.ts';
import type { FollowedFile, FollowedFiles, Reading } from './followed-files.ts';

export interface FileWatchOptions {
  readonly file: string;
  /** the text of the file when it was read last */
  readonly text: string;
  /** the most milliseconds between two readings, for file systems that do not tell of changes; absent if the file is read only on request */
  readonly interval?: number;
  /**
   * when a text that could not be used is tried again because that may depend on more than the text: with each reading by the interval, or also whenever something
   * happens in the folder, as where the text is used with another file there. Absent: on request only
   */
  readonly triesAgain?: 'by-interval' | 'whenever-read';
  /** the files that are read on request, to which this one is added; absent if there is no such request */
  readonly followedFiles?: FollowedFiles;
  /** Gets the new text. The next call waits for the end of this one. */
  readonly changed: (text: string) => Promise<void>;
  /**
   * Gets why the file could not be read, or what `changed` threw. What is still wrong is told with each interval and request, not whenever something happens in the
   * folder: a log that is written there would have itself written again.
   */
  readonly failed: (error: unknown) => void;
}

/** Milliseconds for a writer to be done; and in all, for others may write into the folder without pause. */
const SETTLING = 100;
const LONGEST_SETTLING = 1_000;

export class FileWatch implements FollowedFile {
  readonly #options: FileWatchOptions;
  readonly #timer: NodeJS.Timeout | undefined;
  readonly #watcher: FSWatcher | undefined;
  #text: string;
  /** why the file could not be read or used last; undefined where it could */
  #wrong: string | undefined;
  /** the text is not used */
  #isUnused = false;
  #settling: NodeJS.Timeout | undefined;
  /** when the file is read at the latest, of `performance.now()`; undefined: nothing has been told since it was read */
  #settledBy: number | undefined;
  #reading: Promise<unknown> = Promise.resolve();

  constructor(options: FileWatchOptions) {
    this.#options = options;
    this.#text = options.text;
    options.followedFiles?.add(this);
    if (options.interval === undefined) return;
    this.#timer = setInterval(() => void this.#next(options.triesAgain !== undefined), options.interval).unref();
    this.#watcher = this.#watchFolder();
  }

  /** Reads the file now, after a reading that is under way. */
  read(): Promise<Reading> {
    return this.#next(false);
  }

  readAgain(): Promise<Reading> {
    return this.#next(true);
  }

  /** @param again whether a text that is not used is tried again. @param noticed whether it is read because something happened in its folder */
  #next(again: boolean, noticed = false): Promise<Reading> {
    const reading = this.#reading.then(() => this.#readOnce(again, noticed));
    this.#reading = reading;
    return reading;
  }

  close(): void {
    this.#options.followedFiles?.remove(this);
    clearInterval(this.#timer);
    clearTimeout(this.#settling);
    this.#watcher?.close();
  }

  /** Watches the folder of the file, because most writers replace a file by a new one, or by a link to one. */
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
      void this.#next(this.#options.triesAgain === 'whenever-read', true);
    };
    this.#settling = setTimeout(settle, Math.min(SETTLING, Math.max(0, this.#settledBy - now))).unref();
  }

  async #readOnce(again: boolean, noticed: boolean): Promise<Reading> {
    try {
      const text = await readFileText(this.#options.file);
      const isTriedAgain = text === this.#text && this.#isUnused && again;
      if (!isTriedAgain) this.#wrong = undefined;
      if (text === this.#text && !isTriedAgain) return 'same';
      this.#text = text;
      this.#isUnused = true;
      await this.#options.changed(text);
      this.#isUnused = false;
      this.#wrong = undefined;
      return 'changed';
    } catch (error) {
      const isKnown = noticed && this.#wrong === String(error);
      this.#wrong = String(error);
      if (!isKnown) this.#options.failed(error);
      return 'failed';
    }
  }
}
