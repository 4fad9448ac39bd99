import { HEADS } from './heads.ts';
import { BadPage } from './page-file.ts';

/** Which pages are used: each may be used once. */
export class PageUse {
  readonly #lastPage: number;
  /** a bit for each page that the file has; it may be shorter than its head says, by pages that are free */
  readonly #used: Uint8Array<ArrayBuffer>;
  #count = 0;

  /** @param filePages that the file has */
  constructor(lastPage: number, filePages: number) {
    this.#lastPage = lastPage;
    this.#used = new Uint8Array(Math.ceil(filePages / 8));
    for (let page = 0; page < HEADS; page++) this.#mark(page);
  }

  /** how many are used */
  get count(): number {
    return this.#count;
  }

  has(page: number): boolean {
    return (((this.#used[Math.floor(page / 8)] ?? 0) >>> (page % 8)) & 1) === 1;
  }

  /** @throws BadPage, of the page `from` that refers to it, where it is not to be had */
  take(page: number, from: number): void {
    if (page > this.#lastPage) throw new BadPage(from, `refers to page ${page}, where the last one is ${this.#lastPage}`);
    if (this.has(page)) throw new BadPage(from, `refers to page ${page}, which is used already`);
    this.#mark(page);
  }

  #mark(page: number): void {
    const place = Math.floor(page / 8);
    if (place < this.#used.length) this.#used[place] = (this.#used[place] as number) | (1 << (page % 8));
    this.#count++;
  }
}
