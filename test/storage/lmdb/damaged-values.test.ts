/** Bytes of the store's file that are not what was written: who reads the value is told, and nothing is left out of an answer. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ValueDamaged } from '../../../runtime/storage/errors.ts';
import type { LmdbStorage } from '../../../runtime/storage/lmdb/embedded-storage.ts';
import { type LmdbStorageOptions, openLmdbStorage } from '../../../runtime/storage/lmdb/lmdb-storage.ts';
import { openEnvironment } from '../../../runtime/storage/lmdb/tables/environment.ts';
import { bytes, scanned, thrown, words } from '../contract/store.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'damaged-values-'));
const test = suite('damaged values');
test.after(() => rmSync(folder, { recursive: true }));
let stores = 0;

const ALL = { start: 'pods/', end: 'pods0' };

/** What stands in the file in the place of what was written. */
type Harm = (file: Buffer) => void;

/** Replaces one text by another one, wherever it stands. */
const instead =
  (text: string, other: string): Harm =>
  (file) => {
    let count = 0;
    for (let at = file.indexOf(text); at >= 0; at = file.indexOf(text, at + 1), count++) file.write(other, at);
    assert.ok(count > 0, `${text} is not in the file`);
  };

interface Damaged {
  readonly storage: LmdbStorage;
  readonly heard: ValueDamaged[];
}

const lastDirectory = (): string => path.join(folder, String(stores));
const openLast = (options: Partial<LmdbStorageOptions>): LmdbStorage =>
  openLmdbStorage({ directory: lastDirectory(), dialect: 'test', terms: words, ...options });

interface Preparation {
  readonly exclusive: boolean;
  /** is called when the store has been written */
  readonly prepare?: (storage: LmdbStorage) => Promise<void>;
}

/** Revisions: 1 to 3 are pods/a, b and c; 4 replaces b. */
async function damaged({ exclusive, prepare }: Preparation, harm: Harm, body: (store: Damaged) => void | Promise<void>): Promise<void> {
  stores++;
  const heard: ValueDamaged[] = [];
  const open = (): LmdbStorage => openLast({ exclusive, onDamage: (error) => heard.push(error) });
  const before = open();
  for (const key of ['a', 'b', 'c']) await before.create(`pods/${key}`, bytes(`first-of-${key} red`));
  await before.update('pods/b', 2, bytes('second-of-b red'));
  await prepare?.(before);
  await before.index();
  await before.close();
  const file = path.join(lastDirectory(), 'data.mdb');
  const data = readFileSync(file);
  harm(data);
  writeFileSync(file, data);
  const storage = open();
  try {
    await body({ storage, heard });
  } finally {
    await storage.close();
  }
}

function isTold(action: () => unknown, key: string | undefined, revision: number): void {
  const error = thrown(action);
  assert.instance(error, ValueDamaged);
  assert.equal([(error as ValueDamaged).key, (error as ValueDamaged).revision], [key, revision]);
}

for (const exclusive of [false, true]) {
  const whose = exclusive ? 'of one process' : 'of several processes';
  const latest = instead('second-of-b', 'second-of-X');

  for (const [read, action] of Object.entries<(storage: LmdbStorage) => unknown>({
    get: (storage) => storage.get('pods/b'),
    'get at a revision': (storage) => storage.get('pods/b', 4),
    look: (storage) => storage.look('pods/b', ({ value }) => String(value)),
    range: (storage) => Array.from(storage.range(ALL), ({ value }) => String(value)),
    scan: (storage) => scanned(storage, ALL, ({ value }) => String(value)),
    'scan by terms': (storage) => scanned(storage, { ...ALL, requirements: [['red']] }, ({ value }) => String(value)),
  }))
    test(`${whose}: ${read} throws, as often as it is called`, () =>
      damaged({ exclusive }, latest, ({ storage }) => {
        isTold(() => action(storage), 'pods/b', 4);
        isTold(() => action(storage), 'pods/b', 4);
        assert.is(String(storage.get('pods/a')?.value), 'first-of-a red');
        assert.is(String(storage.get('pods/b', 3)?.value), 'first-of-b red');
        assert.is(storage.count(ALL), 3);
      }));

  test(`${whose}: changes throw where the damaged one comes`, () =>
    damaged({ exclusive }, latest, ({ storage }) => {
      const seen: number[] = [];
      isTold(
        () => {
          for (const { revision } of storage.changes(0, 'pods/')) seen.push(revision);
        },
        undefined,
        4,
      );
      assert.equal(seen, [1, 2, 3]);
    }));

  test(`${whose}: so does the value before a change`, () =>
    damaged({ exclusive }, instead('first-of-b', 'first-of-X'), ({ storage }) => {
      isTold(() => Array.from(storage.changes(3, 'pods/'), ({ previousValue }) => String(previousValue)), 'pods/b', 2);
      isTold(() => storage.get('pods/b', 3), 'pods/b', 2);
      assert.is(String(storage.get('pods/b')?.value), 'second-of-b red');
    }));

  test(`${whose}: a whole record in the place of another one is not taken for it`, () =>
    damaged({ exclusive }, instead('pods/bfirst-of-b', 'pods/zfirst-of-b'), ({ storage }) =>
      isTold(() => storage.get('pods/b', 3), 'pods/b', 2),
    ));

  test(`${whose}: compaction tells of what it drops and of what it leaves, once, and goes on`, () =>
    damaged(
      { exclusive },
      (file) => {
        latest(file);
        instead('first-of-b', 'first-of-X')(file);
      },
      async ({ storage, heard }) => {
        await storage.compact(4);
        await storage.compact(4);
        assert.equal(heard.map(({ key, revision }) => `${key}@${revision}`).sort(), ['pods/b@2', 'pods/b@4']);
        assert.is(storage.compactedRevision(), 4);
        isTold(() => storage.get('pods/b'), 'pods/b', 4);
        assert.equal(
          scanned(storage, { ...ALL, requirements: [['red']] }, ({ key }) => key),
          ['pods/a', 'pods/b', 'pods/c'],
        );
      },
    ));

  /** As after a change of what values are found by: the postings are made anew. */
  const reindexed = (
    harm: Harm,
    body: (store: Damaged) => Promise<void>,
    before?: (store: Damaged) => Promise<void>,
    prepare?: (storage: LmdbStorage) => Promise<void>,
  ): Promise<void> => {
    const prepared = { exclusive, ...(prepare && { prepare }) };
    return damaged(prepared, harm, async (first) => {
      await before?.(first);
      await first.storage.close();
      const heard: ValueDamaged[] = [];
      const storage = openLast({ exclusive, terms: { ...words, definition: 'other' }, onDamage: (error) => heard.push(error) });
      try {
        await storage.index();
        await body({ storage, heard });
      } finally {
        await storage.close();
      }
    });
  };
  const search = (storage: LmdbStorage, word: string, atRevision?: number): string[] =>
    scanned(storage, { ...ALL, requirements: [[word]], atRevision }, ({ key, value }) => `${key}=${value}`).filter((entry) =>
      entry.includes(word),
    );
  const candidates = (storage: LmdbStorage, word: string): string[] =>
    scanned(storage, { ...ALL, requirements: [[word]] }, ({ key }) => key);

  test(`${whose}: what it would be found by is not known, so each search meets it, and everything else is indexed`, () =>
    reindexed(latest, async ({ storage, heard }) => {
      assert.equal(
        heard.map(({ key, revision }) => `${key}@${revision}`),
        ['pods/b@4'],
      );
      for (const word of ['red', 'second-of-b', 'blue']) isTold(() => search(storage, word), 'pods/b', 4);
      assert.equal(candidates(storage, 'first-of-a'), ['pods/a', 'pods/b']);
      assert.equal(search(storage, 'first-of-b', 3), ['pods/b=first-of-b red']);
      await storage.create('pods/d', bytes('later'));
      await storage.index();
      assert.equal(candidates(storage, 'later'), ['pods/b', 'pods/d']);
    }));

  test(`${whose}: so it is when the store is opened again, and when history is compacted, which goes on`, () =>
    reindexed(latest, async ({ storage }) => {
      for (let revision = await storage.create('pods/busy', bytes('blue')); revision < 20; )
        revision = await storage.update('pods/busy', revision, bytes(`blue ${revision}`));
      await storage.compact(20);
      assert.is(storage.compactedRevision(), 20);
      assert.is(storage.size().historyBytes, 0);
      await storage.close();
      const again = openLast({ exclusive, terms: { ...words, definition: 'other' } });
      isTold(() => search(again, 'green'), 'pods/b', 4);
      await again.close();
    }));

  test(`${whose}: a later value ends it, compaction the last trace of it`, () =>
    reindexed(latest, async ({ storage }) => {
      await storage.update('pods/b', 4, bytes('third-of-b'));
      assert.equal(search(storage, 'third-of-b'), ['pods/b=third-of-b']);
      isTold(() => search(storage, 'blue', 4), 'pods/b', 4);
      await storage.compact(5);
      assert.equal(candidates(storage, 'blue'), []);
      assert.equal(candidates(storage, 'third-of-b'), ['pods/b']);
    }));

  test(`${whose}: so does a deletion`, () =>
    reindexed(latest, async ({ storage }) => {
      await storage.delete('pods/b', 4, bytes('gone'));
      assert.equal(candidates(storage, 'blue'), []);
      await storage.compact(5);
      await storage.create('pods/b', bytes('new'));
      await storage.index();
      assert.equal(candidates(storage, 'blue'), []);
    }));

  test(`${whose}: of two damaged values of a key the one that stays goes on to be met`, () =>
    reindexed(
      (file) => {
        latest(file);
        instead('first-of-b', 'first-of-X')(file);
      },
      async ({ storage, heard }) => {
        assert.equal(heard.map(({ key, revision }) => `${key}@${revision}`).sort(), ['pods/b@2', 'pods/b@4']);
        await storage.compact(4);
        isTold(() => search(storage, 'blue'), 'pods/b', 4);
      },
    ));

  test(`${whose}: one that says another key, and was left by a compaction, is met under its own`, () =>
    reindexed(
      instead('pods/csecond-of-c', 'pods/zsecond-of-c'),
      async ({ storage, heard }) => {
        assert.equal(
          heard.map(({ key, revision }) => `${key}@${revision}`),
          ['pods/c@5'],
        );
        isTold(() => search(storage, 'blue'), 'pods/c', 5);
      },
      undefined,
      async (storage) => {
        await storage.update('pods/c', 3, bytes('second-of-c red'));
        await storage.compact(5);
      },
    ));

  test(`${whose}: one whose record is missing is met, whether it is to be compacted or was left by that`, async () => {
    for (const compacted of [0, 4]) {
      const withoutRecord = async ({ storage }: Damaged): Promise<void> => {
        if (compacted > 0) await storage.compact(compacted);
        await storage.close();
        const environment = openEnvironment({ directory: lastDirectory(), addressSpace: 2 ** 30, checkFormat: () => {}, defers: false });
        await environment.transaction(() => environment.tables.log.remove(3));
        await environment.close();
      };
      await reindexed(
        () => {},
        async ({ storage }) => {
          isTold(() => search(storage, 'blue'), 'pods/c', 3);
          assert.equal(candidates(storage, 'first-of-a'), ['pods/a', 'pods/c']);
        },
        withoutRecord,
      );
    }
  });

  test(`${whose}: what was left by a compaction is found before the postings are made anew, too`, () =>
    damaged(
      { exclusive, prepare: (storage) => storage.compact(4) },
      () => {},
      async ({ storage }) => {
        await storage.close();
        const again = openLast({ exclusive, terms: { ...words, definition: 'other' } });
        assert.equal(search(again, 'first-of-a'), ['pods/a=first-of-a red']);
        await again.index();
        assert.equal(candidates(again, 'first-of-a'), ['pods/a']);
        await again.close();
      },
    ));

  test(`${whose}: it can be replaced and deleted`, () =>
    damaged({ exclusive }, latest, async ({ storage }) => {
      assert.is(await storage.update('pods/b', 4, bytes('third-of-b')), 5);
      assert.is(String(storage.get('pods/b')?.value), 'third-of-b');
      assert.is(await storage.delete('pods/b', 5, bytes('gone')), 6);
    }));
}

test.run();
