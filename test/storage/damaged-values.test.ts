/** Bytes of the store's file that are not what was written: who reads the value is told, and nothing is left out of an answer. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ValueDamaged } from '../../runtime/storage/errors.ts';
import { type LmdbStorage, openLmdbStorage } from '../../runtime/storage/lmdb/lmdb-storage.ts';
import { bytes, rejection, scanned, thrown, words } from './contract/store.ts';

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

/** Revisions: 1 to 3 are pods/a, b and c; 4 replaces b. */
async function damaged(exclusive: boolean, harm: Harm, body: (store: Damaged) => void | Promise<void>): Promise<void> {
  const directory = path.join(folder, String(++stores));
  const heard: ValueDamaged[] = [];
  const open = (): LmdbStorage =>
    openLmdbStorage({ directory, dialect: 'test', terms: words, exclusive, onDamage: (error) => heard.push(error) });
  const before = open();
  for (const key of ['a', 'b', 'c']) await before.create(`pods/${key}`, bytes(`first-of-${key} red`));
  await before.update('pods/b', 2, bytes('second-of-b red'));
  await before.index();
  await before.close();
  const file = path.join(directory, 'data.mdb');
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
      damaged(exclusive, latest, ({ storage }) => {
        isTold(() => action(storage), 'pods/b', 4);
        isTold(() => action(storage), 'pods/b', 4);
        assert.is(String(storage.get('pods/a')?.value), 'first-of-a red');
        assert.is(String(storage.get('pods/b', 3)?.value), 'first-of-b red');
        assert.is(storage.count(ALL), 3);
      }));

  test(`${whose}: changes throw where the damaged one comes`, () =>
    damaged(exclusive, latest, ({ storage }) => {
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
    damaged(exclusive, instead('first-of-b', 'first-of-X'), ({ storage }) => {
      isTold(() => Array.from(storage.changes(3, 'pods/'), ({ previousValue }) => String(previousValue)), 'pods/b', 2);
      isTold(() => storage.get('pods/b', 3), 'pods/b', 2);
      assert.is(String(storage.get('pods/b')?.value), 'second-of-b red');
    }));

  test(`${whose}: a whole record in the place of another one is not taken for it`, () =>
    damaged(exclusive, instead('pods/bfirst-of-b', 'pods/zfirst-of-b'), ({ storage }) =>
      isTold(() => storage.get('pods/b', 3), 'pods/b', 2),
    ));

  test(`${whose}: compaction tells of what it drops and of what it leaves, once, and goes on`, () =>
    damaged(
      exclusive,
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

  test(`${whose}: what it would be found by is not known, so searches go on to meet it`, () =>
    damaged(exclusive, latest, async ({ storage }) => {
      // as after a change of what values are found by
      await storage.close();
      const again = openLmdbStorage({
        directory: path.join(folder, String(stores)),
        dialect: 'test',
        terms: { ...words, definition: 'other' },
        exclusive,
      });
      assert.instance(await rejection(again.index()), ValueDamaged);
      isTold(() => scanned(again, { ...ALL, requirements: [['second-of-b']] }, ({ value }) => String(value)), 'pods/b', 4);
      await again.close();
    }));

  test(`${whose}: it can be replaced and deleted`, () =>
    damaged(exclusive, latest, async ({ storage }) => {
      assert.is(await storage.update('pods/b', 4, bytes('third-of-b')), 5);
      assert.is(String(storage.get('pods/b')?.value), 'third-of-b');
      assert.is(await storage.delete('pods/b', 5, bytes('gone')), 6);
    }));
}

test.run();
