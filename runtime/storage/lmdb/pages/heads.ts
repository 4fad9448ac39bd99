/** LMDB's two heads, in the first two pages: each says where the trees of a transaction are, and the next transaction writes the other one. */
import { dirname } from 'node:path';
import { lastTransaction } from '../files/lock-file.ts';
import { PAGE_BYTES, PAGE_HEAD, type PageFile } from './page-file.ts';
import { putBackOf } from './put-back.ts';

export const HEADS = 2;
const META_FLAG = 0x08;
const MAGIC = 0xbeefc0de;
const VERSION = 2;
const At = {
  flags: 18,
  magic: PAGE_HEAD,
  version: 28,
  space: 40,
  pageBytes: 48,
  free: 48,
  main: 96,
  lastPage: 144,
  transaction: 152,
} as const;
/** The offsets of a tree's counts in its part of the head. */
const TreeAt = { flags: 4, depth: 6, branches: 8, leaves: 16, overflows: 24, entries: 32, root: 40 } as const;
export const TREE_BYTES = 48;
const NO_PAGE = 2n ** 64n - 1n;

/** What a head, or the main tree, says of a tree. */
export interface TreeHead {
  /** the page of the root; undefined if the tree is empty */
  readonly root: number | undefined;
  readonly depth: number;
  readonly branches: number;
  readonly leaves: number;
  readonly overflows: number;
  readonly entries: number;
}

export interface Head {
  readonly transaction: number;
  readonly lastPage: number;
  /** pages that are free */
  readonly free: TreeHead;
  /** has the other trees by their names */
  readonly main: TreeHead;
}

/** @returns each head, or what is wrong with it. @throws BadPage where the file ends before, or cannot be read */
export function readHeads(file: PageFile): (Head | string)[] {
  // not from what is kept: LMDB may be writing
  const bytes = file.read(0, HEADS * PAGE_BYTES);
  return Array.from({ length: HEADS }, (_, page) => readHead(bytes.subarray(page * PAGE_BYTES), page));
}

/**
 * What no writing changes, and so is the same at any moment.
 * @returns what is wrong with it; undefined: nothing. @throws BadPage
 */
export function wrongMark(file: PageFile): string | undefined {
  const bytes = file.read(0, HEADS * PAGE_BYTES);
  for (let page = 0; page < HEADS; page++) {
    const wrong = wrongMarkOf(bytes.subarray(page * PAGE_BYTES));
    if (wrong !== undefined) return `its head ${page + 1} ${wrong}`;
  }
  return undefined;
}

/**
 * The heads are those of two successive transactions, the trees of both of which are there: the next one overwrites neither.
 * @returns the newest one, or what is wrong. @throws BadPage
 */
export function newestHead(file: PageFile): Head | string {
  const heads = readHeads(file);
  for (const [page, head] of heads.entries()) if (typeof head === 'string') return `its head ${page + 1} ${head}`;
  const [newest, other] = (heads as Head[]).toSorted((a, b) => b.transaction - a.transaction) as [Head, Head];
  // a copy begins at any transaction, beside the head of an empty file
  const isCopy = other.transaction === 0 && other.main.root === undefined;
  if (newest.transaction !== other.transaction + 1 && !isCopy)
    return `its heads are of the transactions ${newest.transaction} and ${other.transaction}, which do not follow each other`;
  for (const head of [newest, other]) {
    if (head.main.root === undefined) continue;
    const written = Number(file.read(head.main.root, PAGE_BYTES).readBigUInt64LE(AT_WRITER));
    if (written === head.transaction || written === COPIER) continue;
    const isOfFailed = head === other && written === newest.transaction + 1;
    if (!isOfFailed || !wasPutBack(file.path, written))
      return `the head of its transaction ${head.transaction} names a page that transaction ${written} has written`;
  }
  return newest;
}

/**
 * Whether it is known that the head of that transaction could not be written: noted, or, where the process ended at that moment, told by LMDB's file of locks, which
 * has the last one that was.
 */
function wasPutBack(path: string, transaction: number): boolean {
  return transaction === putBackOf(path) || transaction - 1 === lastTransaction(dirname(path));
}

/** The offset of the number of the transaction that has written a page. */
const AT_WRITER = 8;
/** The number of the transaction in all pages of a copy. */
const COPIER = 1;

function wrongMarkOf(bytes: Buffer): string | undefined {
  const flags = bytes.readUInt16LE(At.flags);
  if (bytes.readUInt32LE(At.magic) !== MAGIC || flags !== META_FLAG) return 'is not what was written';
  if (bytes.readUInt32LE(At.version) !== VERSION) return `has version ${bytes.readUInt32LE(At.version)}, where it always has ${VERSION}`;
  const pageBytes = bytes.readUInt32LE(At.pageBytes);
  return pageBytes === PAGE_BYTES ? undefined : `counts pages of ${pageBytes} bytes, where they always have ${PAGE_BYTES}`;
}

function readHead(bytes: Buffer, page: number): Head | string {
  const wrong = wrongMarkOf(bytes);
  if (wrong !== undefined) return wrong;
  const transaction = number(bytes, At.transaction);
  const lastPage = number(bytes, At.lastPage);
  const space = number(bytes, At.space);
  if (transaction === undefined || lastPage === undefined || space === undefined || lastPage < HEADS - 1 || lastPage * PAGE_BYTES > space)
    return 'is not what was written: its counts are none';
  if (transaction > 0 && transaction % HEADS !== page) return `has transaction ${transaction}, which is written to the other one`;
  const free = readTreeHead(bytes, At.free);
  const main = readTreeHead(bytes, At.main);
  if (free === undefined || main === undefined) return 'is not what was written: its counts of trees are none';
  return { transaction, lastPage, free, main };
}

/** @returns undefined where there is none */
export function readTreeHead(bytes: Buffer, at: number): TreeHead | undefined {
  const depth = bytes.readUInt16LE(at + TreeAt.depth);
  const branches = number(bytes, at + TreeAt.branches);
  const leaves = number(bytes, at + TreeAt.leaves);
  const overflows = number(bytes, at + TreeAt.overflows);
  const entries = number(bytes, at + TreeAt.entries);
  const isEmpty = bytes.readBigUInt64LE(at + TreeAt.root) === NO_PAGE;
  const root = isEmpty ? undefined : number(bytes, at + TreeAt.root);
  if (branches === undefined || leaves === undefined || overflows === undefined || entries === undefined) return undefined;
  if (!isEmpty && (root === undefined || root < HEADS)) return undefined;
  return { root, depth, branches, leaves, overflows, entries };
}

function number(bytes: Buffer, at: number): number | undefined {
  const value = Number(bytes.readBigUInt64LE(at));
  return value <= Number.MAX_SAFE_INTEGER ? value : undefined;
}
