/** A way through all pages of a tree, which holds each against what stands above it. */
import type { TreeHead } from './heads.ts';
import { childOf, keyOf, leafNode, type Page, transactionOf, valueBytes } from './page.ts';
import { BadPage, type PageFile } from './page-file.ts';
import type { PageUse } from './page-use.ts';
import { asBadPage, readTreePage } from './tree.ts';

export interface WalkedTree {
  readonly file: PageFile;
  readonly head: TreeHead;
  /** the transaction that the head belongs to; no page of the tree may belong to a later one */
  readonly transaction: number;
  readonly used: PageUse;
  readonly compare: (a: Buffer, b: Buffer) => number;
}

export interface TreeVisitor {
  /** a page that is not what was written: what is below it is left out */
  bad(error: BadPage): void;
  /** a page with rows, whole but for the own pages of long values */
  leaf(page: Page): void;
  /** The head has another count than the tree, of which no page is bad. */
  miscounted(what: string, counted: number, found: number): void;
}

/** What the head of a tree counts. */
const COUNTED = ['branches', 'leaves', 'overflows', 'entries'] as const;
type Counted = (typeof COUNTED)[number];

/** What keys below a page may be: `low <= key < high`. */
interface Bounds {
  readonly low: Buffer | undefined;
  readonly high: Buffer | undefined;
}

/** Checks a tree. It yields after each page. @returns whether all pages are undamaged */
export function* walkTree(tree: WalkedTree, visitor: TreeVisitor): Generator<void, boolean> {
  return yield* new Walk(tree, visitor).run();
}

class Walk {
  readonly #tree: WalkedTree;
  readonly #visitor: TreeVisitor;
  readonly #found: Record<Counted, number> = { branches: 0, leaves: 0, overflows: 0, entries: 0 };
  #isWhole = true;

  constructor(tree: WalkedTree, visitor: TreeVisitor) {
    this.#tree = tree;
    this.#visitor = visitor;
  }

  *run(): Generator<void, boolean> {
    const { head, transaction } = this.#tree;
    if (head.root !== undefined) yield* this.#page(head.root, 0, head.depth, transaction, { low: undefined, high: undefined });
    if (this.#isWhole) this.#compareCounts();
    return this.#isWhole;
  }

  /** @param transaction of the page above, which is written whenever one below is */
  *#page(number: number, from: number, depth: number, transaction: number, bounds: Bounds): Generator<void, void> {
    const { file, used } = this.#tree;
    let page: Page;
    try {
      used.take(number, from);
      page = readTreePage(file, number, depth);
      if (transactionOf(page) > transaction) throw new BadPage(number, 'was written later than what refers to it');
      this.#assertOrder(page, bounds);
    } catch (error) {
      this.#bad(asBadPage(error));
      return;
    } finally {
      yield;
    }
    this.#found[page.isLeaf ? 'leaves' : 'branches']++;
    if (!page.isLeaf) yield* this.#below(page, depth, bounds);
    else {
      this.#takeLongValues(page);
      this.#found.entries += page.nodes.length;
      this.#visitor.leaf(page);
    }
  }

  *#below(page: Page, depth: number, { low, high }: Bounds): Generator<void, void> {
    for (const [i, node] of page.nodes.entries()) {
      const next = page.nodes[i + 1];
      const bounds = { low: i === 0 ? low : keyOf(page, node), high: next === undefined ? high : keyOf(page, next) };
      yield* this.#page(childOf(page, node), page.number, depth - 1, transactionOf(page), bounds);
    }
  }

  /** The first key of a branch says nothing. */
  #assertOrder(page: Page, { low, high }: Bounds): void {
    const { compare } = this.#tree;
    let before = low;
    for (const node of page.isLeaf ? page.nodes : page.nodes.slice(1)) {
      const key = keyOf(page, node);
      const isFirst = before === low;
      if (before !== undefined && compare(before, key) >= (isFirst ? 1 : 0))
        throw new BadPage(page.number, 'has keys that are not in order');
      before = key;
    }
    if (before !== undefined && before !== low && high !== undefined && compare(before, high) >= 0)
      throw new BadPage(page.number, 'has keys that belong behind it');
  }

  /** One that is not what was written leaves the others what they are. */
  #takeLongValues(page: Page): void {
    const { file, used } = this.#tree;
    for (const place of page.nodes) {
      const node = leafNode(page, place);
      if (node.overflow === undefined) continue;
      const { page: first, pages } = node.overflow;
      try {
        valueBytes(file, page, node);
        for (let number = first; number < first + pages; number++) used.take(number, page.number);
        this.#found.overflows += pages;
      } catch (error) {
        this.#bad(asBadPage(error));
      }
    }
  }

  #compareCounts(): void {
    const { head } = this.#tree;
    for (const what of COUNTED) {
      const [counted, found] = [head[what], this.#found[what]];
      if (counted === found) continue;
      this.#isWhole = false;
      this.#visitor.miscounted(what, counted, found);
    }
  }

  #bad(error: BadPage): void {
    this.#isWhole = false;
    this.#visitor.bad(error);
  }
}
