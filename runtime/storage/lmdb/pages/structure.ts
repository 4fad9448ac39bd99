/** Whether the pages of LMDB's file hang together: each tree is what its head counts, in order, and no page is used twice. */
import { type Head, readTreeHead, TREE_BYTES, type TreeHead } from './heads.ts';
import { type LeafNode, leafNode, type Page, valueBytes } from './page.ts';
import { BadPage, PAGE_BYTES, type PageFile } from './page-file.ts';
import { PageUse } from './page-use.ts';
import { asBadPage } from './tree.ts';
import { walkTree } from './tree-walk.ts';

/** The names here of the two trees that the head has: that of free pages, and that which has the others. */
export const FREE = 'free';
export const MAIN = 'main';

export interface StructureVisitor {
  /** a page that is not what was written: what is below it is left out */
  bad(tree: string, error: BadPage): void;
  /** The head of a tree has another count than the tree, of which no page is bad. */
  miscounted(tree: string, what: string, counted: number, found: number): void;
  /** a page with rows, whole but for the own pages of long values */
  leaf?(tree: string, page: Page): void;
}

/** Tells in words, to be read behind the name of the file. */
export const toldInWords = (damaged: (found: string) => void): Pick<StructureVisitor, 'bad' | 'miscounted'> => ({
  bad: (tree, { page, found }) => damaged(`page ${page} of the tree "${tree}", at byte ${page * PAGE_BYTES}, ${found}`),
  miscounted: (tree, what, counted, found) => damaged(`the tree "${tree}" counts ${counted} ${what}, where there are ${found}`),
});

export interface Structure {
  /** the trees with a name */
  readonly trees: ReadonlyMap<string, TreeHead>;
  /** names of the trees of which all is what was written */
  readonly whole: ReadonlySet<string>;
  readonly used: PageUse;
  /** the free pages; undefined if they are not known */
  readonly free: PageUse | undefined;
}

/** Checks all pages of a head's trees. It yields after each page. */
export function* walkStructure(file: PageFile, head: Head, visitor: StructureVisitor): Generator<void, Structure> {
  const { transaction, lastPage } = head;
  const used = new PageUse(lastPage, file.count);
  const whole = new Set<string>();
  function* walk(
    name: string,
    tree: TreeHead,
    compare: (a: Buffer, b: Buffer) => number,
    leaf: (page: Page) => void,
  ): Generator<void, void> {
    const isWhole = yield* walkTree(
      { file, head: tree, transaction, used, compare },
      {
        bad: (error) => visitor.bad(name, error),
        miscounted: (what, counted, found) => visitor.miscounted(name, what, counted, found),
        leaf,
      },
    );
    if (isWhole) whole.add(name);
  }

  const lists: { readonly from: number; readonly pages: readonly number[] }[] = [];
  yield* walk(FREE, head.free, compareNumbers, (page) => {
    for (const value of page.nodes.flatMap((node) => readableValue(file, page, leafNode(page, node))))
      lists.push({ from: page.number, pages: listedPages(value) });
  });
  const trees = new Map<string, TreeHead>();
  yield* walk(MAIN, head.main, Buffer.compare, (page) => {
    for (const [name, tree] of treesOf(file, page)) {
      if (tree !== undefined) trees.set(name, tree);
      else visitor.bad(MAIN, new BadPage(page.number, `has no head of the tree ${JSON.stringify(name)}`));
    }
  });
  for (const [name, tree] of trees) yield* walk(name, tree, Buffer.compare, (page) => visitor.leaf?.(name, page));

  const free = new PageUse(lastPage, file.count);
  for (const { from, pages } of lists) {
    for (const page of pages) {
      try {
        if (used.has(page)) throw new BadPage(from, `has page ${page} as free, which is used`);
        free.take(page, from);
      } catch (error) {
        whole.delete(FREE);
        visitor.bad(FREE, error as BadPage);
      }
    }
  }
  return { trees, whole, used, free: whole.has(FREE) ? free : undefined };
}

/** Keys of the tree of free pages are numbers of transactions. */
const compareNumbers = (a: Buffer, b: Buffer): number =>
  a.length === 8 && b.length === 8 ? Number(a.readBigUInt64LE() - b.readBigUInt64LE()) : a.length - b.length;

/** @returns nothing where it has pages of its own that are not what was written, of which was told */
function readableValue(file: PageFile, page: Page, node: LeafNode): Buffer[] {
  try {
    return [valueBytes(file, page, node)];
  } catch (error) {
    asBadPage(error);
    return [];
  }
}

/** Heads of trees in a page of the main one, by their names; undefined: it is none. */
function treesOf(file: PageFile, page: Page): [string, TreeHead | undefined][] {
  return page.nodes.flatMap((place) => {
    const node = leafNode(page, place);
    if (!node.isTree) return [];
    const [value] = readableValue(file, page, node);
    // LMDB keeps the zero behind a name
    return [[node.key.toString().replace(/\0$/, ''), value?.length === TREE_BYTES ? readTreeHead(value, 0) : undefined]];
  });
}

/** A count of numbers, then those: 0 stands for nothing, a negative one for how many pages the next one begins. */
function listedPages(value: Buffer): number[] {
  if (value.length < 8) return [];
  const count = Math.min(Number(value.readBigInt64LE(0)), value.length / 8 - 1);
  const pages: number[] = [];
  let length = 1;
  for (let i = 1; i <= count; i++) {
    const number = Number(value.readBigInt64LE(8 * i));
    if (number > 0) for (let page = number; page < number + length; page++) pages.push(page);
    length = number < 0 ? -number : 1;
  }
  return pages;
}
