/** The first thing that is wrong with how the pages of LMDB's file hang together, looked for beside other work. */
import { isDeepStrictEqual } from 'node:util';
import { type Head, newestHead } from './heads.ts';
import { BadPage, PageFile } from './page-file.ts';
import { toldInWords, walkStructure } from './structure.ts';

/** A process whose supervisor has ended may write for a moment: then the pages that were looked at may be others by now. */
const LOOKS = 5;
/** The number of pages that are checked in one turn of the event loop. */
const TURN = 64;

/**
 * @param path of a file whose heads are whole
 * @param milliseconds that may be taken; 0: as long as it takes
 * @param looked hears now and then how many pages have been looked at, and how many there may be
 * @returns undefined where nothing was found in that time. @throws Error of the file system
 */
export async function firstDamage(
  path: string,
  milliseconds: number,
  looked: (pages: number, most: number) => void = () => {},
): Promise<string | undefined> {
  const deadline = milliseconds > 0 ? performance.now() + milliseconds : Number.POSITIVE_INFINITY;
  for (let look = 0; look < LOOKS; look++) {
    const head = withFile(path, headOf);
    if (head === undefined) continue;
    // opened behind the head: the file may have grown by pages of which that is the first to tell
    const file = new PageFile(path);
    try {
      const found = await walked(file, head, deadline, (pages) => looked(pages, head.lastPage + 1));
      // No page of a transaction's trees is overwritten before two others have followed. A head that was read while it was written may name the trees of
      // another one.
      if (found === undefined || isDeepStrictEqual(headOf(file), head)) return found;
    } finally {
      file.close();
    }
  }
  return undefined;
}

function withFile<T>(path: string, read: (file: PageFile) => T): T {
  const file = new PageFile(path);
  try {
    return read(file);
  } finally {
    file.close();
  }
}

/** @returns undefined where somebody is writing it */
function headOf(file: PageFile): Head | undefined {
  try {
    const head = newestHead(file);
    return typeof head === 'string' ? undefined : head;
  } catch (error) {
    if (error instanceof BadPage) return undefined;
    throw error;
  }
}

async function walked(file: PageFile, head: Head, deadline: number, looked: (pages: number) => void): Promise<string | undefined> {
  let first: string | undefined;
  const told = toldInWords((found) => {
    first ??= found;
  });
  const walk = walkStructure(file, head, told);
  for (let pages = 1; walk.next().done !== true && first === undefined; pages++) {
    if (performance.now() > deadline) break;
    if (pages % TURN !== 0) continue;
    looked(pages);
    await new Promise((resolve) => setImmediate(resolve));
  }
  return first;
}
