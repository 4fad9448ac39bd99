/** What is saved of a store whose file is damaged anywhere: all that can be read, and nothing that was not there. */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { RevisionCompacted } from '../../runtime/storage/errors.ts';
import { openLmdbStorage } from '../../runtime/storage/lmdb/lmdb-storage.ts';
import { PAGE_BYTES } from '../../runtime/storage/lmdb/pages/page-file.ts';
import { type RecoveredStore, recoverStore, UnknownDialect } from '../../runtime/storage/lmdb/recovery/recover-store.ts';
import { bytes, rejection, thrown, words } from './contract/store.ts';
import { checkConsistency } from './lmdb-check.ts';
import { anyHarm, anyPlace, type Damage, damagedCopy, damageOf, overlaps, type WrittenStore, writtenStore } from './written-store.ts';

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
function assertSaved({ living, versions, records, revision }: WrittenStore, damages: readonly Damage[], found: Recovered): void {
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
    const isTold = told !== undefined || isMissing || (isCut(damages) && entry === undefined && found.damages.length > 0);
    assert.ok(isTold, `${where} is not told`);
    if (entry === undefined) continue;
    assert.is(told?.instead, entry.revision, where);
    assert.equal(versions.get(entry.revision), { key, ...entry }, where);
  }
  for (const key of found.entries.keys())
    assert.ok(living.has(key) || (lost.get(key)?.revision === undefined && lost.has(key)), `${key} was deleted`);
}

test('of a file with one damage anywhere all is saved that is not under it, and what is under it is told', () =>
  fc.assert(
    fc.asyncProperty(fc.nat(1), anyHarm, async (which, harm) => {
      const written = stores[which] as WrittenStore;
      const damages = [damageOf(written, harm)];
      assertSaved(written, damages, await recovered(written, damages));
    }),
    { numRuns: RUNS },
  ));

test('of a file that is cut off all is saved that is not behind its end', () =>
  fc.assert(
    fc.asyncProperty(fc.nat(1), anyPlace, async (which, at) => {
      const written = stores[which] as WrittenStore;
      const from = Math.max(2 * PAGE_BYTES, Math.floor(at * written.data.length));
      const damages = [{ from, to: written.data.length, instead: undefined }];
      try {
        assertSaved(written, damages, await recovered(written, damages));
      } catch (error) {
        // nor is there a log
        if (!/nothing can be read of/.test(String(error))) throw error;
        for (const { revision } of written.living.values()) assert.ok(overlaps(damages, written.records.get(revision) ?? []));
      }
    }),
    { numRuns: RUNS / 4 },
  ));

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
