/** The trees of a damaged file that are worth reading: those of the newest head, or of what a head would name. */
import { type Head, newestHead, readHeads } from '../pages/heads.ts';
import { leafNode, readPage, transactionOf } from '../pages/page.ts';
import type { BadPage, PageFile } from '../pages/page-file.ts';
import { MAIN, type Structure, walkStructure } from '../pages/structure.ts';
import { asBadPage } from '../pages/tree.ts';

/** Where the trees of one transaction are. */
interface Root {
  readonly head: Head;
  /** no head says so: which pages are free is not known */
  readonly isFound: boolean;
}

export interface WalkedRoot extends Root {
  readonly structure: Structure;
  /** whole pages with rows, by their trees */
  readonly leaves: ReadonlyMap<string, readonly number[]>;
  /** in the order in which they were met */
  readonly bad: readonly { readonly tree: string; readonly error: BadPage }[];
}

/** Newest first. */
function rootsOf(file: PageFile, wrong: (found: string) => void): readonly Root[] {
  const heads = headsOf(file, wrong);
  const roots: Root[] = heads.named.map((head) => ({ head, isFound: false }));
  if (!heads.areWhole) {
    const named = new Set(heads.named.map(({ main }) => main.root));
    roots.push(...foundHeads(file).flatMap((head) => (named.has(head.main.root) ? [] : [{ head, isFound: true }])));
  }
  return roots.toSorted((a, b) => b.head.transaction - a.head.transaction).slice(0, MOST_ROOTS);
}

/** Older trees have been overwritten. */
const MOST_ROOTS = 4;

function headsOf(file: PageFile, wrong: (found: string) => void): { readonly named: readonly Head[]; readonly areWhole: boolean } {
  try {
    const newest = newestHead(file);
    const named = readHeads(file).filter((head) => typeof head !== 'string');
    if (typeof newest === 'string') wrong(newest);
    return { named, areWhole: typeof newest !== 'string' };
  } catch (error) {
    wrong(`its ${asBadPage(error).message}`);
    return { named: [], areWhole: false };
  }
}

/** Pages that have the heads of the store's tables: the main tree is one page. */
function foundHeads(file: PageFile): Head[] {
  const found: Head[] = [];
  for (let number = 2; number < file.count; number++) {
    try {
      const page = readPage(file, number);
      if (!page.isLeaf) continue;
      const names = new Set(page.nodes.map((node) => leafNode(page, node)).flatMap(({ key, isTree }) => (isTree ? [String(key)] : [])));
      if (!names.has('log\0') || !names.has('keys\0')) continue;
      const main = { root: number, depth: 1, branches: 0, leaves: 1, overflows: 0, entries: page.nodes.length };
      found.push({ transaction: transactionOf(page), lastPage: file.count - 1, free: NO_TREE, main });
    } catch (error) {
      asBadPage(error);
    }
  }
  return found;
}

const NO_TREE = { root: undefined, depth: 0, branches: 0, leaves: 0, overflows: 0, entries: 0 };

function walkRoot(file: PageFile, root: Root): WalkedRoot {
  const bad: { tree: string; error: BadPage }[] = [];
  const leaves = new Map<string, number[]>();
  const walk = walkStructure(file, root.head, {
    bad: (tree, error) => bad.push({ tree, error }),
    miscounted: () => {},
    leaf(tree, { number }) {
      const numbers = leaves.get(tree);
      if (numbers === undefined) leaves.set(tree, [number]);
      else numbers.push(number);
    },
  });
  let step = walk.next();
  while (!step.done) step = walk.next();
  return { ...root, structure: step.value, leaves, bad };
}

export interface WalkedRoots {
  /** the newest one; undefined: there is none */
  readonly newest: WalkedRoot | undefined;
  /** The newest one of which all is there that is needed, else the newest. */
  readonly main: WalkedRoot | undefined;
  /** Nothing is to be looked for elsewhere. */
  readonly isWhole: boolean;
  /** That have what may be lacking: the newer ones, and where the main one is not whole, the one before it. The next transaction does not overwrite that. */
  readonly others: readonly WalkedRoot[];
}

/** @param wrong hears what is wrong with the heads */
export function walkRoots(file: PageFile, wrong: (found: string) => void): WalkedRoots {
  const walked: WalkedRoot[] = [];
  for (const root of rootsOf(file, wrong)) {
    const next = walkRoot(file, root);
    walked.push(next);
    if (isWhole(next)) break;
  }
  const newest = walked[0];
  const main = walked.find(isWhole) ?? newest;
  const others = walked.filter((each) => each !== main && main !== undefined && each.head.transaction >= main.head.transaction - 1);
  return { newest, main, isWhole: main !== undefined && main === newest && isWhole(main), others };
}

/** Of a root that no head names others may be newer. */
const isWhole = ({ structure }: WalkedRoot): boolean => NEEDED.every((tree) => structure.whole.has(tree));

const NEEDED: readonly string[] = [MAIN, 'log', 'keys', 'tombstones'];
