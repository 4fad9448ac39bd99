/**
 * The pages of LMDB's file, read from the file itself: whatever stands in it is looked at as bytes, so that nothing crashes on it, and what the disk
 * cannot read is an error. Little-endian, as LMDB writes on every machine that this runs on.
 */
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { getSystemErrorName } from 'node:util';
import { unreadable } from '../files/regular-file.ts';

/**
 * Of a new file. Against pages of 4 KB a single writer's commit is a tenth shorter (fewer levels, so fewer pages to write) and 64 writers
 * get a fifth more; 16 KB gain no more and make commits of few changes heavy. Keys may take 4,026 bytes.
 */
export const PAGE_BYTES = 8192;
/** The bytes of a page's own head. */
export const PAGE_HEAD = 24;

/** The bytes of which a disk can read either all or none. */
const SECTOR = 512;

/** Pages that are kept for who asks again, at most: two such parts. */
const KEPT = 1_024;

/** A page that is not what was written. */
export class BadPage extends Error {
  override readonly name = 'BadPage';
  readonly page: number;
  readonly found: string;

  constructor(page: number, found: string) {
    super(`page ${page} ${found}`);
    this.page = page;
    this.found = found;
  }
}

export class PageFile {
  readonly path: string;
  /** the number of pages in the file, whose last one may be incomplete */
  readonly count: number;
  readonly #descriptor: number;
  #recent = new Map<number, Buffer>();
  #older = new Map<number, Buffer>();

  /** @throws Error of the file system */
  constructor(path: string) {
    this.path = path;
    this.#descriptor = opened(path);
    this.count = Math.ceil(fstatSync(this.#descriptor).size / PAGE_BYTES);
  }

  /** @returns bytes that stay as they are. @throws BadPage where the file ends before, or cannot be read */
  page(page: number): Buffer {
    const known = this.#recent.get(page) ?? this.#older.get(page);
    if (known !== undefined) return known;
    const bytes = this.read(page, PAGE_BYTES);
    if (this.#recent.size >= KEPT) {
      this.#older = this.#recent;
      this.#recent = new Map();
    }
    this.#recent.set(page, bytes);
    return bytes;
  }

  /** Reads bytes from the beginning of a page on, from the file and not from the cache. @throws BadPage */
  read(first: number, length: number): Buffer {
    const bytes = Buffer.allocUnsafeSlow(length);
    for (let at = 0; at < bytes.length; ) {
      const page = first + Math.floor(at / PAGE_BYTES);
      const read = this.#read(bytes, at, first * PAGE_BYTES + at, page);
      if (read === 0) throw new BadPage(page, 'is behind the end of the file');
      at += read;
    }
    return bytes;
  }

  #read(bytes: Buffer, at: number, position: number, page: number): number {
    try {
      return readSync(this.#descriptor, bytes, at, bytes.length - at, position);
    } catch (error) {
      const { errno } = error as NodeJS.ErrnoException;
      throw new BadPage(page, `cannot be read from the disk (${errno === undefined ? String(error) : getSystemErrorName(errno)})`);
    }
  }

  /** What of a page can be read; the rest is zeros. */
  partOf(page: number): Buffer {
    const bytes = Buffer.alloc(PAGE_BYTES);
    for (let at = 0; at < PAGE_BYTES; at += SECTOR) {
      try {
        readSync(this.#descriptor, bytes, at, SECTOR, page * PAGE_BYTES + at);
      } catch {
        // what is lost is known by what refers to it
      }
    }
    return bytes;
  }

  close(): void {
    closeSync(this.#descriptor);
  }
}

/** @throws Error of the file system that names the file */
function opened(path: string): number {
  try {
    return openSync(path, 'r');
  } catch (error) {
    throw unreadable(path, error);
  }
}
