/** What one page of a tree holds: nodes in the order of their keys, which say where the pages below are, or hold values. */
import { BadPage, PAGE_BYTES, PAGE_HEAD, type PageFile } from './page-file.ts';

const At = { number: 0, transaction: 8, flags: 18, lower: 20, upper: 22, overflowPages: 20 } as const;
const Flag = { branch: 0x01, leaf: 0x02, overflow: 0x04 } as const;
/** Bytes behind the page's head, from which places on the page are counted. */
const BODY = PAGE_BYTES - PAGE_HEAD;
const NODE_HEAD = 8;
const NodeAt = { low: 0, high: 2, flags: 4, keyBytes: 6 } as const;
const NodeFlag = { overflow: 0x01, tree: 0x02 } as const;
/** Bytes that stand in the place of a value that has pages of its own: the first of them, a transaction, how many. */
const OVERFLOW_BYTES = 24;

export interface Page {
  readonly number: number;
  readonly bytes: Buffer;
  readonly isLeaf: boolean;
  /** the offset of each node */
  readonly nodes: readonly number[];
}

/** The pages of a value that has pages of its own. */
export interface Overflow {
  readonly page: number;
  readonly pages: number;
}

export interface LeafNode {
  readonly key: Buffer;
  /** the bytes of the value */
  readonly length: number;
  /** the pages of the value; undefined if it is on this page, at `value` */
  readonly overflow: Overflow | undefined;
  readonly value: number;
  /** whether the value is the head of another tree */
  readonly isTree: boolean;
}

/** The parsed pages by their bytes, which a file keeps. */
const parsed = new WeakMap<Buffer, Page>();

/** @throws BadPage where it is not a page of a tree, or a node is not on it */
export function readPage(file: PageFile, number: number): Page {
  const bytes = file.page(number);
  let page = parsed.get(bytes);
  if (page === undefined) {
    page = parse(bytes, number);
    parsed.set(bytes, page);
  }
  return page;
}

function parse(bytes: Buffer, number: number): Page {
  const stands = Number(bytes.readBigUInt64LE(At.number));
  if (stands !== number) throw new BadPage(number, `says that it is page ${stands}`);
  const flags = bytes.readUInt16LE(At.flags);
  if (flags !== Flag.branch && flags !== Flag.leaf) throw new BadPage(number, 'is no page of a tree');
  const lower = bytes.readUInt16LE(At.lower);
  const upper = bytes.readUInt16LE(At.upper);
  if (lower % 2 !== 0 || lower > upper || upper > BODY) throw new BadPage(number, 'has a head that is not what was written');
  const isLeaf = flags === Flag.leaf;
  const nodes = Array.from({ length: lower / 2 }, (_, i) => PAGE_HEAD + bytes.readUInt16LE(PAGE_HEAD + 2 * i));
  const page = { number, bytes, isLeaf, nodes };
  for (const node of nodes) if (node < PAGE_HEAD + upper || !isNode(page, node)) throw new BadPage(number, 'has a node that is not on it');
  return page;
}

/** Returns the number of the transaction that wrote a page. */
export const transactionOf = ({ bytes }: Page): number => Number(bytes.readBigUInt64LE(At.transaction));

function isNode({ bytes, isLeaf }: Page, node: number): boolean {
  if (node % 2 !== 0 || node + NODE_HEAD > bytes.length) return false;
  const keyEnd = node + NODE_HEAD + bytes.readUInt16LE(node + NodeAt.keyBytes);
  if (!isLeaf) return keyEnd <= bytes.length;
  const stored = (flagsOf(bytes, node) & NodeFlag.overflow) !== 0 ? OVERFLOW_BYTES : sizeOf(bytes, node);
  return keyEnd + stored <= bytes.length;
}

const flagsOf = (bytes: Buffer, node: number): number => bytes.readUInt16LE(node + NodeAt.flags);
const sizeOf = (bytes: Buffer, node: number): number =>
  bytes.readUInt16LE(node + NodeAt.low) + bytes.readUInt16LE(node + NodeAt.high) * 0x1_0000;

export function keyOf({ bytes }: Page, node: number): Buffer {
  const start = node + NODE_HEAD;
  return bytes.subarray(start, start + bytes.readUInt16LE(node + NodeAt.keyBytes));
}

/** Returns the number of the page below a node of a branch. */
export const childOf = ({ bytes }: Page, node: number): number => sizeOf(bytes, node) + flagsOf(bytes, node) * 0x1_0000_0000;

export function leafNode(page: Page, node: number): LeafNode {
  const { bytes } = page;
  const key = keyOf(page, node);
  const value = node + NODE_HEAD + key.length;
  const flags = flagsOf(bytes, node);
  const overflow =
    (flags & NodeFlag.overflow) === 0
      ? undefined
      : { page: Number(bytes.readBigUInt64LE(value)), pages: Number(bytes.readBigUInt64LE(value + 16)) };
  return { key, length: sizeOf(bytes, node), overflow, value, isTree: (flags & NodeFlag.tree) !== 0 };
}

/** Bytes as a page with rows, of which nothing is known: a node may be anywhere. */
export const unknownPage = (number: number, bytes: Buffer): Page => ({ number, bytes, isLeaf: true, nodes: [] });

/** Places where a node with a key of this length may begin, whether or not there is one. */
export function* possibleNodes(page: Page, keyBytes: number): Generator<number, void> {
  const { bytes } = page;
  for (let node = PAGE_HEAD; node + NODE_HEAD <= bytes.length; node += 2)
    if (bytes.readUInt16LE(node + NodeAt.keyBytes) === keyBytes && isNode(page, node)) yield node;
}

/** @throws BadPage where the pages of the value are none */
export function valueBytes(file: PageFile, { bytes, number }: Page, { length, overflow, value }: LeafNode): Buffer {
  if (overflow === undefined) return bytes.subarray(value, value + length);
  return overflowValue(file, number, overflow, length);
}

/**
 * @param from the page that names them
 * @throws BadPage
 */
export function overflowValue(file: PageFile, from: number, { page, pages }: Overflow, length: number): Buffer {
  if (pages !== Math.ceil((PAGE_HEAD + length) / PAGE_BYTES) || page + pages > file.count + 1)
    throw new BadPage(from, 'has a value whose own pages are not those of its length');
  const bytes = file.read(page, PAGE_HEAD + length);
  const isOverflow =
    Number(bytes.readBigUInt64LE(At.number)) === page &&
    bytes.readUInt16LE(At.flags) === Flag.overflow &&
    bytes.readUInt32LE(At.overflowPages) === pages;
  if (!isOverflow) throw new BadPage(page, 'is not the first one of a long value');
  return bytes.subarray(PAGE_HEAD);
}
