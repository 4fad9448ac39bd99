/** A tree of LMDB's file: its rows in order, and where one of them is. */
import type { TreeHead } from './heads.ts';
import { childOf, keyOf, type LeafNode, leafNode, type Page, readPage, valueBytes } from './page.ts';
import { BadPage, type PageFile } from './page-file.ts';

export interface TreeRow {
  /** bytes of the page's */
  readonly key: Buffer;
  /** read when it is asked for. @throws BadPage */
  readonly value: Buffer;
}

export class Tree {
  readonly head: TreeHead;
  readonly #file: PageFile;

  constructor(file: PageFile, head: TreeHead) {
    this.#file = file;
    this.head = head;
  }

  /**
   * Rows with `key >= start`, in order.
   * @param bad hears of each page that is not what was written, whose rows are left out
   */
  rows(start: Buffer, bad: (error: BadPage) => void): Iterable<TreeRow> {
    const { root, depth } = this.head;
    return root === undefined ? [] : this.#below(root, depth, start, bad);
  }

  *#below(number: number, depth: number, start: Buffer, bad: (error: BadPage) => void): Generator<TreeRow, void> {
    let page: Page;
    try {
      page = this.#page(number, depth);
    } catch (error) {
      bad(asBadPage(error));
      return;
    }
    // before a branch's first key is all that is before the second one
    const first = page.isLeaf ? firstNotBefore(page, start) : Math.max(0, firstAfter(page, start) - 1);
    for (const node of page.nodes.slice(first)) {
      if (page.isLeaf) yield new Row(this.#file, page, leafNode(page, node));
      else yield* this.#below(childOf(page, node), depth - 1, start, bad);
    }
  }

  /** @throws BadPage */
  get(key: Buffer): Buffer | undefined {
    let { root: number, depth } = this.head;
    while (number !== undefined) {
      const page = this.#page(number, depth--);
      if (page.isLeaf) {
        const node = page.nodes[firstNotBefore(page, key)];
        return node !== undefined && keyOf(page, node).equals(key) ? valueBytes(this.#file, page, leafNode(page, node)) : undefined;
      }
      number = childOf(page, page.nodes[Math.max(0, firstAfter(page, key) - 1)] as number);
    }
    return undefined;
  }

  /** @param depth pages from here to a leaf, both included */
  #page(number: number, depth: number): Page {
    return readTreePage(this.#file, number, depth);
  }
}

/** @throws BadPage where the page is not one of a tree, at this depth */
export function readTreePage(file: PageFile, number: number, depth: number): Page {
  const page = readPage(file, number);
  if (page.isLeaf !== (depth === 1)) throw new BadPage(number, 'stands at another depth of its tree');
  if (!page.isLeaf && page.nodes.length === 0) throw new BadPage(number, 'has no pages below it');
  return page;
}

class Row implements TreeRow {
  readonly #file: PageFile;
  readonly #page: Page;
  readonly #node: LeafNode;

  constructor(file: PageFile, page: Page, node: LeafNode) {
    this.#file = file;
    this.#page = page;
    this.#node = node;
  }

  get key(): Buffer {
    return this.#node.key;
  }

  get value(): Buffer {
    return valueBytes(this.#file, this.#page, this.#node);
  }
}

/** Place of the first node whose key is not before `key`. */
const firstNotBefore = (page: Page, key: Buffer): number => firstWhere(page, 0, (other) => Buffer.compare(other, key) >= 0);
/** Returns the place of the first node of a branch whose key is after `key`. The first node is left out, because its key has no meaning. */
const firstAfter = (page: Page, key: Buffer): number => firstWhere(page, 1, (other) => Buffer.compare(other, key) > 0);

function firstWhere(page: Page, from: number, holds: (key: Buffer) => boolean): number {
  let low = from;
  let high = page.nodes.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (holds(keyOf(page, page.nodes[middle] as number))) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** @throws what is another error */
export function asBadPage(error: unknown): BadPage {
  if (error instanceof BadPage) return error;
  throw error;
}
