/** The trees of a damaged file that are worth reading: those of the newest head, or of what a head would name. */
import { type Head, newestHead, readHeads } from '../pages/heads.ts';
import { leafNode, readPage, transactionOf } from '../pages/page.ts';
import type { BadPage, PageFile } from '../pages/page-file.ts';
import { MAIN, type Structure, walkStructure } from '../pages/structure.ts';
import { asBadPage } from '../pages/tree.ts';
import { mainRows } from '../store-files/main-rows.ts';

/** The place of the trees of one transaction. */
interface Root {
  readonly head: Head;
  /** whether the root was found although no head names it, so that it is not known which pages are free */
  readonly isFound: boolean;
  /** its newest revision; 0 if that cannot be read */
  readonly revision: number;
}

export interface WalkedRoot extends Root {
  readonly structure: Structure;
  /** the trees of which all is what was written, and as much as their heads count */
  readonly whole: ReadonlySet<string>;
  /** the trees whose heads count other than what is there: a page may hide some of its rows */
  readonly miscounted: ReadonlySet<string>;
  /** whole pages with rows, by their trees */
  readonly leaves: ReadonlyMap<string, readonly number[]>;
  /** the damaged pages in the order in which they were found */
  readonly bad: readonly { readonly tree: string; readonly error: BadPage }[];
}

interface Roots {
  /** the newest one that can be begun to read first */
  readonly roots: readonly Root[];
  /** the latest transaction that is known of, where none of the heads can be read; else 0 */
  readonly latest: number;
}

function rootsOf(file: PageFile, wrong: (found: string) => void): Roots {
  const { named, areWhole } = headsOf(file, wrong);
  if (areWhole) return { roots: named.map((head) => rootOf(file, head, false)).toSorted(laterTransaction), latest: 0 };
  const roots = named.map((head) => rootOf(file, { ...head, transaction: latestOf(file, head) }, false));
  const numbers = new Set(named.map(({ main }) => main.root));
  const found = foundHeads(file);
  const others = found.heads.filter(({ main }) => !numbers.has(main.root)).map((head) => rootOf(file, head, true));
  roots.push(...others.toSorted(laterTransaction).slice(0, MOST_FOUND));
  return { roots: roots.toSorted(laterRevision), latest: named.length === 0 ? found.latest : 0 };
}

const rootOf = (file: PageFile, head: Head, isFound: boolean): Root => ({
  head,
  isFound,
  revision: mainRows(file, head).state?.revision ?? 0,
});

/**
 * Returns the later one of the transactions that a head and its page name. One of both may be damaged; with the later one, no page counts as one of the future.
 */
function latestOf(file: PageFile, { transaction, main }: Head): number {
  try {
    return main.root === undefined ? transaction : Math.max(transaction, transactionOf(readPage(file, main.root)));
  } catch (error) {
    asBadPage(error);
    return transaction;
  }
}

const laterTransaction = (a: Root, b: Root): number => b.head.transaction - a.head.transaction;

/** Compares roots by their revisions first, because the transaction that a damaged head or page names may be wrong. */
const laterRevision = (a: Root, b: Root): number => b.revision - a.revision || laterTransaction(a, b);

/** Older trees have been overwritten. */
const MOST_FOUND = 4;

function headsOf(file: PageFile, wrong: (found: string) => void): { readonly named: readonly Head[]; readonly areWhole: boolean } {
  let named: readonly Head[] = [];
  try {
    named = readHeads(file).filter((head) => typeof head !== 'string');
    const newest = newestHead(file);
    if (typeof newest !== 'string') return { named, areWhole: true };
    wrong(newest);
  } catch (error) {
    wrong(`its ${asBadPage(error).message}`);
  }
  return { named, areWhole: false };
}

/** Pages that have the heads of the store's tables: the main tree is one page. */
function foundHeads(file: PageFile): { readonly heads: readonly Head[]; readonly latest: number } {
  const heads: Head[] = [];
  let latest = 0;
  for (let number = 2; number < file.count; number++) {
    try {
      const page = readPage(file, number);
      const transaction = transactionOf(page);
      latest = Math.max(latest, transaction);
      if (!page.isLeaf) continue;
      const names = new Set(page.nodes.map((node) => leafNode(page, node)).flatMap(({ key, isTree }) => (isTree ? [String(key)] : [])));
      if (!names.has('log\0') || !names.has('keys\0')) continue;
      const main = { root: number, depth: 1, branches: 0, leaves: 1, overflows: 0, entries: page.nodes.length };
      heads.push({ transaction, lastPage: file.count - 1, free: NO_TREE, main });
    } catch (error) {
      asBadPage(error);
    }
  }
  return { heads, latest };
}

const NO_TREE = { root: undefined, depth: 0, branches: 0, leaves: 0, overflows: 0, entries: 0 };

function walkRoot(file: PageFile, root: Root): WalkedRoot {
  const bad: { tree: string; error: BadPage }[] = [];
  const leaves = new Map<string, number[]>();
  const miscounted = new Set<string>();
  const walk = walkStructure(file, root.head, {
    bad: (tree, error) => bad.push({ tree, error }),
    miscounted: (tree) => miscounted.add(tree),
    leaf(tree, { number }) {
      const numbers = leaves.get(tree);
      if (numbers === undefined) leaves.set(tree, [number]);
      else numbers.push(number);
    },
  });
  let step = walk.next();
  while (!step.done) step = walk.next();
  const structure = step.value;
  return { ...root, structure, whole: structure.whole.difference(miscounted), miscounted, leaves, bad };
}

export interface WalkedRoots {
  /** the newest one; undefined: there is none */
  readonly newest: WalkedRoot | undefined;
  /** The newest one of which all is there that is needed, else the newest. */
  readonly main: WalkedRoot | undefined;
  /** No transaction is known to have come after the newest one that can be begun to read. */
  readonly isLatest: boolean;
  /** Nothing is to be looked for elsewhere. */
  readonly isWhole: boolean;
  /** That have what may be lacking: the newer ones, and where the main one is not whole, the one before it. The next transaction does not overwrite that. */
  readonly others: readonly WalkedRoot[];
}

/** @param wrong hears what is wrong with the heads */
export function walkRoots(file: PageFile, wrong: (found: string) => void): WalkedRoots {
  const walked: WalkedRoot[] = [];
  const { roots, latest } = rootsOf(file, wrong);
  for (const root of roots) {
    const next = walkRoot(file, root);
    walked.push(next);
    if (isWhole(next)) break;
  }
  const newest = walked[0];
  const main = walked.find(isWhole) ?? newest;
  const others = walked.filter((each) => each !== main && main !== undefined && each.head.transaction >= main.head.transaction - 1);
  const gone = roots.filter(({ revision }) => revision === 0).map(({ head }) => head.transaction);
  const isLatest = newest?.structure.whole.has(MAIN) === true && newest.head.transaction >= Math.max(latest, ...gone);
  return { newest, main, isLatest, isWhole: isLatest && main === newest && isWhole(main), others };
}

/** Tells whether all trees that are needed are undamaged. */
const isWhole = ({ whole }: WalkedRoot): boolean => NEEDED.every((tree) => whole.has(tree));

const NEEDED: readonly string[] = [MAIN, 'log', 'keys', 'tombstones'];
