/** What is looked for in a store's pages before it is opened: what the check tells of them, and nothing that a process is writing meanwhile. */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { openLmdbStorage } from '../../../runtime/storage/lmdb/lmdb-storage.ts';
import { firstDamage } from '../../../runtime/storage/lmdb/pages/first-damage.ts';
import { type Head, newestHead } from '../../../runtime/storage/lmdb/pages/heads.ts';
import { leafNode, readPage } from '../../../runtime/storage/lmdb/pages/page.ts';
import { PAGE_BYTES, PageFile } from '../../../runtime/storage/lmdb/pages/page-file.ts';
import { toldInWords, walkStructure } from '../../../runtime/storage/lmdb/pages/structure.ts';
import { tryOpening } from '../../../runtime/storage/lmdb/store-files/opening-trial.ts';
import { inFolder } from './killed-writers.ts';
import { anyHarm, damageOf, type Stretch, type WrittenStore, writtenStore } from './written-store.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'first-damage-'));
const test = suite('the first damage of pages');
test.after(() => rmSync(folder, { recursive: true }));

let written: WrittenStore;
test.before(async () => {
  written = await writtenStore(path.join(folder, 'written'), false);
});

const file = path.join(folder, 'data.mdb');
const TRIAL = path.resolve(import.meta.dirname, '../../../runtime/storage/lmdb/store-files/trial.js');

/** The first thing that a whole look at the pages tells; undefined where the heads are none. */
function toldOf(data: Buffer): string | undefined {
  writeFileSync(file, data);
  const pages = new PageFile(file);
  try {
    const head = newestHead(pages);
    const told: string[] = [];
    if (typeof head === 'string') return undefined;
    const walk = walkStructure(
      pages,
      head,
      toldInWords((found) => told.push(found)),
    );
    while (walk.next().done !== true);
    return told[0];
  } finally {
    pages.close();
  }
}

test('of a whole store is none', async () => {
  assert.is(toldOf(written.data), undefined);
  assert.is(await firstDamage(file, 0), undefined);
});

test('is looked for page by page, and who asks hears how far', async () => {
  const directory = path.join(folder, 'large');
  const storage = openLmdbStorage({ directory, dialect: 'test' });
  await Promise.all(
    Array.from({ length: 2_000 }, (_, i) => storage.create(`pods/${i}`, { bytes: Buffer.alloc(900, i), revisionOffset: -1 })),
  );
  await storage.close();
  const looked: (readonly [pages: number, most: number])[] = [];
  assert.is(await firstDamage(path.join(directory, 'data.mdb'), 0, (...pages) => looked.push(pages)), undefined);
  assert.ok(looked.length > 3);
  for (const [index, [pages, most]] of looked.entries()) {
    assert.ok(pages > (looked[index - 1]?.[0] ?? 0));
    assert.ok(pages <= most);
  }
  // as after a crash
  rmSync(path.join(directory, 'closed.json'));
  const told: string[] = [];
  await tryOpening(directory, 'test', (doing) => told.push(doing));
  assert.is(told[0], `looks through the store: ${looked[0]?.join(' of at most ')} pages`);
});

test('of a store that ends too early is looked for in all of it, and LMDB says how many rows it has read', async () => {
  writeFileSync(file, written.data);
  const { stdout } = await promisify(execFile)(process.execPath, [TRIAL, folder, '0', '0']);
  const rows = stdout.trim().split('\n').map(Number);
  assert.ok(rows.length > written.living.size);
  assert.equal(
    rows,
    rows.map((_, index) => index + 1),
  );
});

test('is that which the check tells first', () =>
  fc.assert(
    fc.asyncProperty(anyHarm, async (harm) => {
      const { from, instead } = damageOf(written, harm);
      const data = Buffer.from(written.data);
      instead?.copy(data, from);
      const told = toldOf(data);
      assert.is(await firstDamage(file, 0), told);
    }),
    { numRuns: 60 },
  ));

test('is told of each page of rows that says to have one row less, and of each tree', async () => {
  for (const [tree, pages] of written.pages) {
    const { from } = pages.at(-1) as Stretch;
    const data = Buffer.from(written.data);
    data.writeUInt16LE(data.readUInt16LE(from + ROWS_END) - 2, from + ROWS_END);
    writeFileSync(file, data);
    assert.match(String(await firstDamage(file, 0)), `the tree "${tree}"`);
  }
});

/** Where a page says where its list of rows ends. */
const ROWS_END = 20;

test('is told of free pages that are used', async () => {
  writeFileSync(file, written.data);
  const pages = new PageFile(file);
  const { free } = newestHead(pages) as Head;
  const root = free.root as number;
  const page = readPage(pages, root);
  assert.ok(page.isLeaf);
  const { value, length } = leafNode(page, page.nodes.at(-1) as number);
  pages.close();
  assert.ok(length >= 16);
  const data = Buffer.from(written.data);
  // a count of pages, then their numbers
  data.writeBigInt64LE(BigInt(root), root * PAGE_BYTES + value + 8);
  writeFileSync(file, data);
  assert.match(String(await firstDamage(file, 0)), /of the tree "free".* as free, which is used/);
});

test('is not looked for beyond the time that it may take', async () => {
  const { from } = (written.pages.get('postings') as readonly Stretch[]).at(-1) as Stretch;
  const data = Buffer.from(written.data);
  data.fill(0, from, from + PAGE_BYTES);
  writeFileSync(file, data);
  assert.ok(await firstDamage(file, 0));
  assert.is(await firstDamage(file, Number.MIN_VALUE), undefined);
});

test('is none of a store that processes write to meanwhile', () =>
  inFolder(async (directory, start) => {
    const writers = [start('a', { count: 8, exclusive: false, history: 50 }), start('b', { count: 8, exclusive: false })];
    await Promise.all(writers.map((writer) => writer.hasWritten(50)));
    const before = writers.map(({ acknowledged }) => acknowledged.length);
    let looks = 0;
    while (looks < 40 || writers.some(({ acknowledged }, i) => acknowledged.length < (before[i] as number) + 200)) {
      assert.is(await firstDamage(path.join(directory, 'data.mdb'), 300), undefined);
      looks++;
      // the lines of writers come in between
      await new Promise((resolve) => setImmediate(resolve));
    }
  }));

test.run();
