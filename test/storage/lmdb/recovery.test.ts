/** What is saved of a store whose file is damaged anywhere: all that can be read, and nothing that was not there. */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { RevisionCompacted } from '../../../runtime/storage/errors.ts';
import { openLmdbStorage } from '../../../runtime/storage/lmdb/lmdb-storage.ts';
import { PAGE_BYTES } from '../../../runtime/storage/lmdb/pages/page-file.ts';
import { type RecoveredStore, recoverStore, UnknownDialect } from '../../../runtime/storage/lmdb/recovery/recover-store.ts';
import { bytes, rejection, thrown, words } from '../contract/store.ts';
import { checkConsistency } from './lmdb-check.ts';
import {
  anyHarm,
  anyPlace,
  type Damage,
  damagedCopy,
  damageOf,
  overlaps,
  type Stretch,
  type WrittenStore,
  writtenStore,
} from './written-store.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'recovery-'));
const test = suite('recovery');
test.after(() => rmSync(folder, { recursive: true }));

const stores: WrittenStore[] = [];
test.before(async () => {
  for (const exclusive of [true, false]) stores.push(await writtenStore(path.join(folder, `written-${exclusive}`), exclusive));
});
let copies = 0;
const RUNS = Number(process.env.RECOVERY_RUNS ?? 60);

interface Recovered extends RecoveredStore {
  readonly entries: ReadonlyMap<string, { readonly revision: number; readonly value: string }>;
  readonly damages: readonly string[];
}

async function recovered(store: WrittenStore, damages: readonly Damage[]): Promise<Recovered> {
  const from = path.join(folder, `damaged-${++copies}`);
  const to = path.join(folder, `recovered-${copies}`);
  damagedCopy(store, from, damages);
  mkdirSync(to);
  try {
    return await readRecovered(from, to);
  } finally {
    for (const directory of [from, to]) rmSync(directory, { recursive: true });
  }
}

async function readRecovered(from: string, to: string): Promise<Recovered> {
  const told: string[] = [];
  const found = await recoverStore(from, to, 'test', { damaged: (_, text) => told.push(text), progress: () => {} });
  assert.equal(await checkConsistency(to), []);
  const storage = openLmdbStorage({ directory: to, dialect: 'test', terms: words, exclusive: copies % 2 === 0 });
  try {
    const range = storage.range({ start: '', end: '' });
    const entries = new Map(Array.from(range, ({ key, revision, value }) => [key, { revision, value: String(value) }]));
    assert.is(storage.currentRevision(), found.revision);
    assert.instance(
      thrown(() => storage.changes(found.revision - 1, '')),
      RevisionCompacted,
    );
    assert.is(await storage.create('a/new', bytes('x')), found.revision + 1);
    return { ...found, entries, damages: told };
  } finally {
    await storage.close();
  }
}

test('a whole store is saved whole', async () => {
  for (const store of stores) {
    const { entries, lost, missing, damages, revision, saved } = await recovered(store, []);
    assert.equal([lost, missing, damages], [[], [], []]);
    assert.ok(revision > store.revision);
    assert.is(saved, store.living.size);
    assert.is(entries.size, store.living.size);
    for (const [key, { revision: at, value }] of store.living) assert.equal(entries.get(key), { revision: at, value });
  }
});

const isCut = (damages: readonly Damage[]): boolean => damages.some(({ instead }) => instead === undefined);

/** Each key has its latest version, or it is told that it has not; none is there that was not. */
function assertSaved({ living, versions, records, revision, roots }: WrittenStore, damages: readonly Damage[], found: Recovered): void {
  assert.ok(found.revision > revision);
  const lost = new Map(found.lost.map((each) => [each.key, each]));
  for (const [key, latest] of living) {
    const entry = found.entries.get(key);
    if (entry?.revision === latest.revision) {
      assert.is(entry.value, latest.value);
      continue;
    }
    const told = lost.get(key);
    const where = `${key}@${latest.revision} ${JSON.stringify({ entry: entry?.revision, told })}`;
    assert.ok(overlaps(damages, records.get(latest.revision) ?? []), `${where} is whole`);
    const isMissing = found.missing.some(({ first, last }) => first <= latest.revision && latest.revision <= last);
    // of a file that is cut off what names a key may be gone with its record: then it is told of the file alone
    const isTold =
      told !== undefined || isMissing || !found.isLatest || (isCut(damages) && entry === undefined && found.damages.length > 0);
    assert.ok(isTold, `${where} is not told`);
    if (entry === undefined) continue;
    if (told !== undefined || found.isLatest) assert.is(told?.instead, entry.revision, where);
    assert.equal(versions.get(entry.revision), { key, ...entry }, where);
  }
  const areLate = overlaps(damages, [0, 1, ...roots].map(pageAt));
  assert.ok(found.isLatest || areLate, 'the newest trees are whole');
  for (const key of found.entries.keys())
    assert.ok(living.has(key) || !found.isLatest || (lost.get(key)?.revision === undefined && lost.has(key)), `${key} was deleted`);
}

const pageAt = (page: number): Stretch => ({ from: page * PAGE_BYTES, to: (page + 1) * PAGE_BYTES });

test('of a file with one damage anywhere all is saved that is not under it, and what is under it is told', () =>
  fc.assert(
    fc.asyncProperty(fc.nat(1), anyHarm, async (which, harm) => {
      const written = stores[which] as WrittenStore;
      const damages = [damageOf(written, harm)];
      assertSaved(written, damages, await recovered(written, damages));
    }),
    { numRuns: RUNS },
  ));

/** @returns what is saved of a file that ends there; undefined: nothing can be read of it, nor is there a log */
async function cutOff(written: WrittenStore, from: number): Promise<Recovered | undefined> {
  const damages = [{ from, to: written.data.length, instead: undefined }];
  try {
    const found = await recovered(written, damages);
    assertSaved(written, damages, found);
    return found;
  } catch (error) {
    if (!/nothing can be read of/.test(String(error))) throw error;
    for (const { revision } of written.living.values()) assert.ok(overlaps(damages, written.records.get(revision) ?? []));
    return undefined;
  }
}

test('of a file that is cut off all is saved that is not behind its end', () =>
  fc.assert(
    fc.asyncProperty(fc.nat(1), anyPlace, async (which, at) => {
      const written = stores[which] as WrittenStore;
      await cutOff(written, Math.max(2 * PAGE_BYTES, Math.floor(at * written.data.length)));
    }),
    { numRuns: RUNS / 4 },
  ));

test('of a file that ends before what was written last, it is told that nothing is sure to be the latest', async () => {
  for (const written of stores) {
    const found = await cutOff(written, (written.roots[0] as number) * PAGE_BYTES);
    assert.is.not(found?.isLatest, true);
  }
});

/** Where a page says how many rows it has. */
const PAGE_LOWER = 20;

test('a page that counts fewer rows than it has hides none of them', async () => {
  for (const written of stores)
    for (const { from } of (written.pages.get('log') as Stretch[]).filter((_, i) => i % 4 === 0)) {
      const at = from + PAGE_LOWER;
      for (const bit of [1, 3]) {
        const damages = [{ from: at, to: at + 1, instead: Buffer.from([(written.data[at] as number) ^ (1 << bit)]) }];
        assertSaved(written, damages, await recovered(written, damages));
      }
    }
});

/** Where a head and a page say which transaction has written them. */
const HEAD_WRITER = 152;
const PAGE_WRITER = 8;

for (const [name, from, place] of [
  ['newest head', 0, HEAD_WRITER],
  ['older head', 1, HEAD_WRITER],
  ["newest head's page", 0, PAGE_WRITER],
  ["older head's page", 1, PAGE_WRITER],
] as const)
  test(`where the ${name} has another transaction, all is saved`, async () => {
    for (const written of stores) {
      const { data, roots } = written;
      const transactions = [0, 1].map((page) => data.readBigUInt64LE(page * PAGE_BYTES + HEAD_WRITER));
      const newest = Number((transactions[0] as bigint) < (transactions[1] as bigint));
      const start = place === HEAD_WRITER ? (from === 0 ? newest : 1 - newest) * PAGE_BYTES : (roots[from] as number) * PAGE_BYTES;
      for (const bit of [0, 1, 2, 3, 4, 5, 6, 7, 13, 41, 62]) {
        const harmed = start + place + Math.floor(bit / 8);
        const damages = [{ from: harmed, to: harmed + 1, instead: Buffer.from([(data[harmed] as number) ^ (1 << (bit % 8))]) }];
        const found = await recovered(written, damages);
        assert.equal(found.lost, [], `bit ${bit}`);
        assert.is(found.saved, written.living.size);
        for (const [key, { revision, value }] of written.living) assert.equal(found.entries.get(key), { revision, value });
      }
    }
  });

const head = (written: WrittenStore, page: number): Damage => ({
  from: page * PAGE_BYTES,
  to: (page + 1) * PAGE_BYTES,
  instead: Buffer.alloc(PAGE_BYTES, written.data[0]),
});

for (const heads of [[0], [1], [0, 1]])
  test(`without ${heads.length === 2 ? 'both of its heads' : `its head ${(heads[0] as number) + 1}`} all is saved`, async () => {
    for (const written of stores) {
      const found = await recovered(
        written,
        heads.map((page) => head(written, page)),
      );
      assert.match(found.damages.join(), /its head \d is not what was written/);
      assert.equal(found.lost, []);
      assert.is(found.saved, written.living.size);
      for (const [key, { revision, value }] of written.living) assert.equal(found.entries.get(key), { revision, value });
    }
  });

test('where nothing says any more whose objects they are, it is to be said', async () => {
  const written = stores[1] as WrittenStore;
  const name = '{"format":6,"dialect":"test"}';
  const damages: Damage[] = [];
  for (let at = written.data.indexOf(name); at >= 0; at = written.data.indexOf(name, at + 1))
    damages.push({ from: at, to: at + name.length, instead: Buffer.alloc(name.length) });
  const found = await recovered(written, damages);
  assert.is(found.dialect, 'test');
  assert.is(found.saved, written.living.size);
  const from = path.join(folder, 'unnamed');
  damagedCopy(written, from, damages);
  const to = path.join(folder, 'to-nowhere');
  mkdirSync(to);
  assert.instance(await rejection(recoverStore(from, to, undefined, { damaged: () => {}, progress: () => {} })), UnknownDialect);
});

test.run();
