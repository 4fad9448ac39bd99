/** What `check` tells of a store: nothing of a whole one, and of any damage that changes what can be read. */
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Head, newestHead } from '../../../runtime/storage/lmdb/pages/heads.ts';
import { PAGE_BYTES, PageFile } from '../../../runtime/storage/lmdb/pages/page-file.ts';
import { notePutBack } from '../../../runtime/storage/lmdb/pages/put-back.ts';
import { walkStructure } from '../../../runtime/storage/lmdb/pages/structure.ts';
import { mainRows } from '../../../runtime/storage/lmdb/store-files/main-rows.ts';
import { pagedTables } from '../../../runtime/storage/lmdb/verification/paged-tables.ts';
import { type CheckedStore, checkStore } from '../../../runtime/storage/lmdb/verification/store-check.ts';
import type { Terms } from '../../../runtime/storage/storage.ts';
import { words } from '../contract/store.ts';
import { anyHarm, type Damage, damagedCopy, damageOf, overlaps, type Stretch, type WrittenStore, writtenStore } from './written-store.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'store-check-'));
const test = suite('the check of a store');
test.after(() => rmSync(folder, { recursive: true }));

const RUNS = Number(process.env.CHECK_RUNS ?? 60);
const stores: WrittenStore[] = [];
test.before(async () => {
  for (const exclusive of [true, false]) stores.push(await writtenStore(path.join(folder, `written-${exclusive}`), exclusive));
});
let copies = 0;

interface Checked {
  readonly checked: CheckedStore | undefined;
  readonly told: readonly string[];
  readonly noted: readonly string[];
  readonly content: string;
}

/**
 * @param putBack a transaction whose head LMDB could not write, and noted so
 * @param locked the last one by LMDB's file of locks, which is not there otherwise
 */
function check(written: WrittenStore, damages: readonly Damage[], terms: Terms = words, putBack?: number, locked?: number): Checked {
  const directory = path.join(folder, `damaged-${++copies}`);
  damagedCopy(written, directory, damages);
  if (putBack !== undefined) notePutBack(path.join(directory, 'data.mdb'), putBack);
  if (locked !== undefined) writeFileSync(path.join(directory, 'lock.mdb'), lockOf(locked));
  const before = files(directory);
  const told: string[] = [];
  const noted: string[] = [];
  try {
    const checked = checkStore(directory, terms, {
      damaged: (file, found) => told.push(`${path.basename(file)} ${found}`),
      noted: (file, found) => noted.push(`${path.basename(file)} ${found}`),
      progress: () => {},
    });
    assert.equal(files(directory), before, 'nothing is changed');
    return { checked, told, noted, content: told.length === 0 ? contentOf(directory) : '' };
  } finally {
    rmSync(directory, { recursive: true });
  }
}

/** What LMDB notes in its file of locks once the head of a transaction is on the disk. */
function lockOf(transaction: number): Buffer {
  const bytes = Buffer.alloc(8_192);
  bytes.writeUInt32LE(0xbeefc0de);
  bytes.writeBigUInt64LE(BigInt(transaction), 8);
  return bytes;
}

const files = (directory: string): Record<string, Buffer> =>
  Object.fromEntries(readdirSync(directory).map((name) => [name, readFileSync(path.join(directory, name))]));

/** All that can be read, but for how far compaction and postings are: of these another count costs work alone. */
function contentOf(directory: string): string {
  const file = new PageFile(path.join(directory, 'data.mdb'));
  try {
    const head = newestHead(file) as Head;
    const walk = walkStructure(file, head, { bad: () => {}, miscounted: () => {} });
    let step = walk.next();
    while (!step.done) step = walk.next();
    const { state } = mainRows(file, head);
    assert.ok(state);
    const { log, keys, tombstones, history, index } = pagedTables(file, step.value.trees, state);
    const hash = createHash('sha1').update(JSON.stringify({ ...state, compacted: 0, posted: 0 }));
    for (const { key, value } of log.rows(0)) hash.update(`${key}`).update(value);
    const others = [keys.rows(''), tombstones.rows(''), history.rows({ text: '', revision: 0 }), index.rows({ text: '', revision: 0 })];
    for (const rows of others) for (const row of rows) hash.update(JSON.stringify(row));
    return hash.digest('hex');
  } finally {
    file.close();
  }
}

test('of a whole one tells nothing but what it has', () => {
  for (const written of stores) {
    const { checked, told } = check(written, []);
    assert.equal(told, []);
    assert.equal([checked?.revision, checked?.compacted], [written.revision, written.compacted]);
    assert.is(checked?.rows.keys, written.living.size);
    assert.is(checked?.rows.log, written.records.size);
  }
});

test('tells of any damage that changes what can be read', () => {
  const whole = stores.map((written) => check(written, []).content);
  fc.assert(
    fc.property(fc.nat(1), anyHarm, (which, harm) => {
      const written = stores[which] as WrittenStore;
      const { told, content } = check(written, [damageOf(written, harm)]);
      if (told.length === 0) assert.is(content, whole[which]);
    }),
    { numRuns: RUNS },
  );
});

test('names the key and the revision of each value that is damaged', () => {
  const written = stores[0] as WrittenStore;
  for (const { key, revision, value } of [...written.living.values()].slice(0, 40)) {
    const place = written.records.get(revision)?.at(-1) as { to: number };
    const { told } = check(written, [{ from: place.to - 1, to: place.to, instead: Buffer.from('X') }]);
    assert.ok(value.length > 0);
    assert.equal(told, [`data.mdb is damaged: key ${key} at revision ${revision}: its checksum is another one`]);
  }
});

for (const { what, tree, found } of [
  { what: 'keys', tree: 'keys', found: /page \d+ of the tree "keys", at byte \d+, says that it is page 0/ },
  { what: 'a part of the log', tree: 'log', found: /page \d+ of the tree "log", at byte \d+, says that it is page 0/ },
  { what: 'the index of changes', tree: 'index', found: /page \d+ of the tree "index", at byte \d+, says that it is page 0/ },
  { what: 'postings', tree: 'postings', found: /page \d+ of the tree "postings", at byte \d+, says that it is page 0/ },
])
  test(`names the page where ${what} stood, and its place`, () => {
    const written = stores[1] as WrittenStore;
    const { from } = (written.pages.get(tree) as readonly Stretch[])[0] as Stretch;
    const { told } = check(written, [{ from, to: from + PAGE_BYTES, instead: Buffer.alloc(PAGE_BYTES) }]);
    assert.match(told.join('\n'), found);
  });

test('names the keys whose records are on a page that is damaged', () => {
  const written = stores[1] as WrittenStore;
  const pages = written.pages.get('log') as readonly Stretch[];
  const { from } = pages[3] as Stretch;
  const damage = { from, to: from + PAGE_BYTES, instead: Buffer.alloc(PAGE_BYTES) };
  const { told } = check(written, [damage]);
  const under = [...written.living.values()].filter(({ revision }) => overlaps([damage], written.records.get(revision) ?? []));
  assert.ok(under.length > 1);
  for (const { key, revision } of under)
    assert.ok(
      told.some((line) => line.includes(`key ${key} at revision ${revision}: `)),
      key,
    );
});

test('tells what a head that is damaged is', () => {
  const written = stores[0] as WrittenStore;
  for (const page of [0, 1]) {
    const { told } = check(written, [{ from: page * PAGE_BYTES + 24, to: page * PAGE_BYTES + 28, instead: Buffer.alloc(4) }]);
    assert.match(told[0] as string, `data.mdb is damaged: its head ${page + 1} is not what was written`);
  }
  // as if the newest transaction had not been
  const transaction = PAGE_BYTES * (written.data.readUInt32LE(152) > written.data.readUInt32LE(PAGE_BYTES + 152) ? 0 : 1) + 152;
  const older = Buffer.alloc(8);
  older.writeBigUInt64LE(written.data.readBigUInt64LE(transaction) - 2n);
  const damage = [{ from: transaction, to: transaction + 8, instead: older }];
  assert.match(check(written, damage).told.join(), /the head of its transaction \d+ names a page that transaction \d+ has written/);
  // LMDB leaves that where it could not write the head
  const newest = Number(written.data.readBigUInt64LE(transaction));
  assert.match(check(written, damage, words, newest - 1).told.join(), /the head of its transaction/, 'that was another transaction');
  assert.not.match(check(written, damage, words, newest).told.join(), /the head of its transaction/);
  // the process was killed before it could note that
  assert.not.match(check(written, damage, words, undefined, newest - 1).told.join(), /the head of its transaction/);
  for (const last of [newest - 2, newest])
    assert.match(check(written, damage, words, undefined, last).told.join(), /the head of its transaction/, `of ${last}`);
});

test('of postings by other terms tells nothing: they are made anew', () => {
  const { told } = check(stores[0] as WrittenStore, [], { definition: 'other', of: () => ['none'] });
  assert.equal(told, []);
});

test('of postings that are missing tells the keys that searches leave out', () => {
  const { told } = check(stores[0] as WrittenStore, [], {
    definition: words.definition,
    of: (resource, value) => [...words.of(resource, value), 'more'],
  });
  assert.match(told[0] as string, /key pods\/.* at revision \d+: it lacks postings, so that searches by what it holds leave it out/);
});

test('tells what is wrong with a write-ahead log', () => {
  const written = stores[0] as WrittenStore;
  const log = path.join(written.directory, 'ahead.log');
  const whole = readFileSync(log);
  try {
    truncateSync(log, 5_000);
    assert.equal(check(written, []).told, ['ahead.log has 5000 bytes, where it always has 1048576']);
    rmSync(log);
    assert.match(check(written, []).told[0] as string, /^ahead\.log is missing, where data\.mdb beside it says that writes are in it/);
  } finally {
    writeFileSync(log, whole);
  }
});

test.run();
