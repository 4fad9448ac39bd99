/**
 * Records of a damaged file: a record says itself whether it is whole, wherever it stands. Those of the log's tree stand where they were left. Others are found
 * in pages that nothing whole refers to any more, and some of these may have been dropped before: whether they count is for who knows the keys.
 */
import { isRecordWhole, readRevision, recordKey, recordOperation } from '../codecs/codecs.ts';
import { HEADS } from '../pages/heads.ts';
import { leafNode, type Page, possibleNodes, readPage, transactionOf, unknownPage, valueBytes } from '../pages/page.ts';
import { BadPage, PAGE_BYTES, type PageFile } from '../pages/page-file.ts';
import { asBadPage } from '../pages/tree.ts';
import type { WalkedRoots } from './trees.ts';

export interface FoundRecord {
  readonly revision: number;
  readonly key: string;
  readonly isDeletion: boolean;
  /** the place of its bytes */
  readonly place: Place;
}

/** The place of a record: a position in the file, or its bytes from the write-ahead log. */
export type Place = number | Buffer;

export interface RecordVisitor {
  /** Is called for each record in the tree of the log. */
  standing(record: FoundRecord): void;
  /** Is called for each record that was found elsewhere. */
  found(record: FoundRecord): void;
  /** Is called for each damaged record in the tree of the log. `reason` is a text to print after the revision. */
  damaged(revision: number, reason: string): void;
}

const REVISION_BYTES = 7;

export class RecordFile {
  readonly #file: PageFile;

  constructor(file: PageFile) {
    this.#file = file;
  }

  /** @returns what is at a place that a record was found at */
  read(place: Place): Buffer {
    if (typeof place !== 'number') return place;
    const number = Math.floor(place / PAGE_BYTES);
    const page = this.#page(number);
    return valueBytes(this.#file, page, leafNode(page, place % PAGE_BYTES));
  }

  /** Goes through all pages that may have records: first those of the log's tree. */
  visit(roots: WalkedRoots, visitor: RecordVisitor): void {
    const seen = new Set<number>();
    const hiding = new Set<number>();
    for (const { leaves, miscounted } of [roots.main, ...roots.others].filter((root) => root !== undefined)) {
      for (const number of leaves.get('log') ?? []) {
        if (miscounted.has('log')) hiding.add(number);
        if (seen.has(number)) continue;
        seen.add(number);
        this.#standing(readPage(this.#file, number), visitor);
      }
    }
    for (const number of hiding) this.#found(number, visitor);
    if (!roots.isWhole) for (const number of this.#lostPages(roots)) if (!seen.has(number)) this.#found(number, visitor);
  }

  /** Pages that the trees do not have, or not whole, newest first: of a revision that was written twice the later one counts. */
  #lostPages({ main, others }: WalkedRoots): number[] {
    const bad = [main, ...others].flatMap((root) => root?.bad.map(({ error }) => error.page) ?? []);
    const transaction = main?.head.transaction ?? 0;
    // of a tree that no head names it is not known which pages are free
    const free = main?.isFound === false ? main.structure.free : undefined;
    const lost = new Map<number, number>();
    for (let number = HEADS; number < this.#file.count; number++) {
      const writer = this.#writerOf(number);
      const isOfTree = main?.structure.used.has(number) === true || (free?.has(number) === true && writer <= transaction);
      if (!isOfTree) lost.set(number, writer);
    }
    for (const number of bad) if (number < this.#file.count) lost.set(number, this.#writerOf(number));
    return [...lost].toSorted(([, a], [, b]) => b - a).map(([number]) => number);
  }

  /** The transaction that a page says to be written by. */
  #writerOf(number: number): number {
    return transactionOf(this.#page(number));
  }

  /** Whatever of it can be read. */
  #page(number: number): Page {
    try {
      return unknownPage(number, this.#file.page(number));
    } catch (error) {
      asBadPage(error);
      return unknownPage(number, this.#file.partOf(number));
    }
  }

  #standing(page: Page, visitor: RecordVisitor): void {
    for (const node of page.nodes) {
      const { key } = leafNode(page, node);
      if (key.length !== REVISION_BYTES) continue;
      const revision = readRevision(key, 0);
      const record = this.#recordAt(page, node);
      if (typeof record === 'string') visitor.damaged(revision, record);
      else visitor.standing(record);
    }
  }

  /** Looks for records anywhere on a page that nothing is known of. */
  #found(number: number, visitor: RecordVisitor): void {
    const page = this.#page(number);
    for (const node of possibleNodes(page, REVISION_BYTES)) {
      const record = this.#recordAt(page, node);
      if (typeof record !== 'string') visitor.found(record);
    }
  }

  #recordAt(page: Page, node: number): FoundRecord | string {
    try {
      const row = leafNode(page, node);
      const revision = readRevision(row.key, 0);
      const record = valueBytes(this.#file, page, row);
      if (!isRecordWhole(record, revision)) return 'its checksum is another one';
      return { revision, key: recordKey(record), isDeletion: recordOperation(record) === 'delete', place: page.number * PAGE_BYTES + node };
    } catch (error) {
      if (!(error instanceof BadPage)) throw error;
      return `its value cannot be read: ${error.message}`;
    }
  }
}
