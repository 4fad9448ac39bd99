/**
 * Reads the small files in which the kernel describes the machine, such as those below /proc and /sys. Paths are relative to the root, such as `proc/meminfo`.
 */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

export class SystemFiles {
  readonly #root: string;

  /** @param root the folder to take for `/`, such as a test's */
  constructor(root = '/') {
    this.#root = root;
  }

  /** Reads a file, without the white space around its text. @returns undefined if the file cannot be read */
  text(file: string): string | undefined {
    try {
      return readFileSync(path.join(this.#root, file), 'utf8').trim();
    } catch {
      return undefined;
    }
  }

  /** Reads a file that holds one whole number. @returns undefined if the file cannot be read or holds something else, such as `max` */
  number(file: string): number | undefined {
    const text = this.text(file) ?? '';
    return /^-?\d+$/.test(text) ? Number(text) : undefined;
  }

  /** Reads a file whose lines have a name, perhaps with a colon, and a number. Other lines are ignored. @returns the numbers by their names */
  table(file: string): ReadonlyMap<string, number> {
    const rows = (this.text(file) ?? '').split('\n').flatMap((line) => {
      const [, name, value] = /^(\S+?):?\s+(\d+)/.exec(line) ?? [];
      return name === undefined ? [] : [[name, Number(value)] as const];
    });
    return new Map(rows);
  }

  /** Lists the sorted names in a folder; it returns none if the folder cannot be read. */
  names(folder: string): readonly string[] {
    try {
      return readdirSync(path.join(this.#root, folder)).sort();
    } catch {
      return [];
    }
  }

  /** Tells whether a file is there and can be read. */
  has(file: string): boolean {
    return this.text(file) !== undefined;
  }
}
