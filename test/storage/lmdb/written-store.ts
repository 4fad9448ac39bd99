/** A store that is written for tests that damage its files: what it has, and where in its file that stands. */
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { readRevision } from '../../../runtime/storage/lmdb/codecs/codecs.ts';
import type { LmdbStorage } from '../../../runtime/storage/lmdb/embedded-storage.ts';
import { openLmdbStorage } from '../../../runtime/storage/lmdb/lmdb-storage.ts';
import { type Head, newestHead, readHeads } from '../../../runtime/storage/lmdb/pages/heads.ts';
import { leafNode, readPage } from '../../../runtime/storage/lmdb/pages/page.ts';
import { PAGE_BYTES, PageFile } from '../../../runtime/storage/lmdb/pages/page-file.ts';
import { walkStructure } from '../../../runtime/storage/lmdb/pages/structure.ts';
import { bytes, words } from '../contract/store.ts';

/** Bytes of data.mdb. */
export interface Stretch {
  readonly from: number;
  readonly to: number;
}

export interface Version {
  readonly key: string;
  readonly revision: number;
  readonly value: string;
}

export interface WrittenStore {
  readonly directory: string;
  readonly data: Buffer;
  /** the latest version of each key that has a value */
  readonly living: ReadonlyMap<string, Version>;
  /** all that there ever were, by their revisions */
  readonly versions: ReadonlyMap<number, Version>;
  readonly revision: number;
  readonly compacted: number;
  /** where the record of a revision is */
  readonly records: ReadonlyMap<number, readonly Stretch[]>;
  /** where the pages of each tree are */
  readonly pages: ReadonlyMap<string, readonly Stretch[]>;
  /** numbers of the pages that the two heads begin at, the newest first */
  readonly roots: readonly number[];
}

const KEYS = 400;
/** Some are longer than a page. */
const textOf = (round: number, i: number): string => `value ${round} of ${i} ${'x'.repeat(i % 40 === 7 ? 20_000 : (i * 53) % 900)}`;

/** Keys that are created, replaced, deleted, made again, and compacted in part. */
export async function writtenStore(directory: string, exclusive: boolean): Promise<WrittenStore> {
  const storage = openLmdbStorage({ directory, dialect: 'test', terms: words, exclusive });
  const writer = new ModelledWriter(storage);
  const each = async (step: number, write: (i: number) => Promise<void>): Promise<void> => {
    for (let i = 0; i < KEYS; i += 16 * step)
      await Promise.all(Array.from({ length: 16 }, (_, n) => (i + n * step < KEYS ? write(i + n * step) : undefined)));
  };
  await each(1, (i) => writer.put(`pods/${i % 7}/${i}`, textOf(0, i)));
  await each(3, (i) => writer.put(`pods/${i % 7}/${i}`, textOf(1, i)));
  await each(5, (i) => writer.remove(`pods/${i % 7}/${i}`));
  await storage.index();
  const compacted = storage.currentRevision() - 20;
  await storage.compact(compacted);
  await each(4, (i) => writer.put(`pods/${i % 7}/${i}`, textOf(2, i)));
  await each(11, (i) => writer.remove(`pods/${i % 7}/${i}`));
  await storage.index();
  // each a transaction of its own: both heads have what the other has not
  for (const i of [1, 2, 3]) await writer.put(`pods/${i}/${i}`, textOf(3, i));
  await writer.remove('pods/4/4');
  const revision = storage.currentRevision();
  await storage.close();
  const { living, versions } = writer;
  return { directory, data: readFileSync(path.join(directory, 'data.mdb')), living, versions, revision, compacted, ...placesOf(directory) };
}

class ModelledWriter {
  readonly living = new Map<string, Version>();
  readonly versions = new Map<number, Version>();
  readonly #storage: LmdbStorage;

  constructor(storage: LmdbStorage) {
    this.#storage = storage;
  }

  async put(key: string, value: string): Promise<void> {
    const latest = this.living.get(key);
    const stored = bytes(value);
    const revision = await (latest === undefined ? this.#storage.create(key, stored) : this.#storage.update(key, latest.revision, stored));
    const version = { key, revision, value };
    this.living.set(key, version);
    this.versions.set(revision, version);
  }

  async remove(key: string): Promise<void> {
    const latest = this.living.get(key);
    if (latest === undefined) return;
    await this.#storage.delete(key, latest.revision, bytes('gone'));
    this.living.delete(key);
  }
}

function placesOf(directory: string): Pick<WrittenStore, 'records' | 'pages' | 'roots'> {
  const file = new PageFile(path.join(directory, 'data.mdb'));
  const records = new Map<number, Stretch[]>();
  const pages = new Map<string, Stretch[]>();
  const walk = walkStructure(file, newestHead(file) as Head, {
    bad() {},
    miscounted() {},
    leaf(tree, { number }) {
      const at = number * PAGE_BYTES;
      pages.set(tree, [...(pages.get(tree) ?? []), { from: at, to: at + PAGE_BYTES }]);
      if (tree !== 'log') return;
      const page = readPage(file, number);
      for (const place of page.nodes) {
        const { key, value, length, overflow } = leafNode(page, place);
        const node = { from: at + place, to: at + value + (overflow === undefined ? length : 24) };
        const own = overflow === undefined ? [] : [{ from: overflow.page * PAGE_BYTES, to: overflow.page * PAGE_BYTES + 24 + length }];
        records.set(readRevision(key, 0), [node, ...own]);
      }
    },
  });
  while (walk.next().done !== true);
  const heads = (readHeads(file) as Head[]).toSorted((a, b) => b.transaction - a.transaction);
  file.close();
  return { records, pages, roots: heads.map(({ main }) => main.root as number) };
}

/** What stands in the place of some bytes. */
export interface Damage extends Stretch {
  /** of the length of the stretch; undefined: the file ends there */
  readonly instead: Buffer | undefined;
}

/** A folder with the store's files, of which the data is damaged. */
export function damagedCopy({ directory, data }: WrittenStore, to: string, damages: readonly Damage[]): void {
  mkdirSync(to);
  for (const name of ['store.json', 'ahead.log']) {
    try {
      copyFileSync(path.join(directory, name), path.join(to, name));
    } catch {
      // a store of several processes has no log
    }
  }
  let harmed = Buffer.from(data);
  for (const { from, instead } of damages) {
    if (instead === undefined) harmed = harmed.subarray(0, from);
    else instead.copy(harmed, from);
  }
  writeFileSync(path.join(to, 'data.mdb'), harmed);
}

export const overlaps = (damages: readonly Stretch[], stretches: readonly Stretch[]): boolean =>
  damages.some((a) => stretches.some((b) => a.from < b.to && b.from < a.to));

/** Of the file's length; anywhere alike, not at its ends above all. */
export const anyPlace = fc.noBias(fc.integer({ min: 0, max: 2 ** 30 - 1 })).map((part) => part / 2 ** 30);

/** One bit, or what stands in the place of a block or a page. */
export type Harm = { readonly at: number; readonly bit: number } | { readonly at: number; readonly length: number; readonly byte: number };

export const anyHarm: fc.Arbitrary<Harm> = fc.oneof(
  fc.record({ at: anyPlace, bit: fc.nat(7) }),
  fc.record({ at: anyPlace, length: fc.constantFrom(512, 4_096, PAGE_BYTES), byte: fc.constantFrom(0, 0xff, 0x07, 0x61) }),
);

export function damageOf({ data }: WrittenStore, harm: Harm): Damage {
  if ('bit' in harm) {
    const from = Math.floor(harm.at * data.length);
    return { from, to: from + 1, instead: Buffer.from([(data[from] as number) ^ (1 << harm.bit)]) };
  }
  const { at, length, byte } = harm;
  const from = Math.floor((at * data.length) / length) * length;
  return { from, to: from + length, instead: Buffer.alloc(length, byte) };
}
