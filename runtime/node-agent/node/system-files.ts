/** What the kernel says of the machine in small files, such as those below /proc and /sys. */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

export class SystemFiles {
  readonly #root: string;

  /** @param root folder that stands for `/` */
  constructor(root = '/') {
    this.#root = root;
  }

  /** Without white space around it. @returns undefined for a file that cannot be read */
  text(file: string): string | undefined {
    try {
      return readFileSync(path.join(this.#root, file), 'utf8').trim();
    } catch {
      return undefined;
    }
  }

  /** @returns undefined for what is no whole number, such as `max` */
  number(file: string): number | undefined {
    const text = this.text(file) ?? '';
    return /^-?\d+$/.test(text) ? Number(text) : undefined;
  }

  /** Numbers by the words before them, one on each line, with or without a colon. */
  table(file: string): ReadonlyMap<string, number> {
    const rows = (this.text(file) ?? '').split('\n').flatMap((line) => {
      const [, name, value] = /^(\S+?):?\s+(\d+)/.exec(line) ?? [];
      return name === undefined ? [] : [[name, Number(value)] as const];
    });
    return new Map(rows);
  }

  /** Names in a folder; none where it cannot be read. */
  names(folder: string): readonly string[] {
    try {
      return readdirSync(path.join(this.#root, folder)).sort();
    } catch {
      return [];
    }
  }

  has(file: string): boolean {
    return this.text(file) !== undefined;
  }
}
